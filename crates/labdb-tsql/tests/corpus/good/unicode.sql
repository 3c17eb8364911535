SELECT größe AS ö, N'日本語' FROM straße WHERE Ω = N'é'
