SELECT {fn NOW()}
