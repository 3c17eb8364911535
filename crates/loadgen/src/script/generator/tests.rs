use super::super::declaration::Declaration;
use super::{Generator, fixed};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sqlserver::parameterized::Value;
use std::collections::BTreeMap;

fn generator(text: &str) -> Generator {
    Declaration::parse(&format!("@v {text}")).unwrap().generator
}

fn draws(text: &str, count: usize) -> Vec<Value> {
    let generator = generator(text);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    (0..count).map(|_| generator.draw(&mut random)).collect()
}

fn ints(text: &str, count: usize) -> Vec<i32> {
    draws(text, count)
        .into_iter()
        .map(|value| match value {
            Value::Int(value) => value,
            other => panic!("{other:?}"),
        })
        .collect()
}

fn frequencies(values: &[i32]) -> BTreeMap<i32, f64> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(*value).or_insert(0.0) += 1.0;
    }
    counts
}

#[test]
fn random_gives_each_number_of_its_range_about_as_often() {
    let counts = frequencies(&ints("int = random(-3, 6)", 20_000));
    assert_eq!(
        counts.keys().copied().collect::<Vec<_>>(),
        (-3..=6).collect::<Vec<_>>()
    );
    // Chi-squared with 9 degrees of freedom: 33.7 is passed once in 10,000.
    let chi: f64 = counts
        .values()
        .map(|count| (count - 2000.0_f64).powi(2) / 2000.0)
        .sum();
    assert!(chi < 33.7, "{chi}");
}

#[test]
fn zipf_gives_the_ranks_in_the_ratio_of_their_powers() {
    let counts = frequencies(&ints("int = zipf(10, 109, 1)", 50_000));
    // Sum of 1/k over 1..=100.
    let harmonic = 5.187_377_517_639_621;
    for (value, rank) in [(10, 1.0), (11, 2.0), (19, 10.0)] {
        let expected = 50_000.0 / (rank * harmonic);
        let sigmas = (counts[&value] - expected).abs() / expected.sqrt();
        assert!(
            sigmas < 4.5,
            "{value}: {} instead of {expected}",
            counts[&value]
        );
    }
    assert!(counts.keys().all(|value| (10..=109).contains(value)));
}

#[test]
fn normal_has_its_mean_and_deviation_and_stays_in_its_range() {
    let values = ints("int = normal(0, 1000, 500, 50)", 20_000);
    let count = 20_000.0;
    let mean = values.iter().copied().map(f64::from).sum::<f64>() / count;
    let variance = values
        .iter()
        .map(|v| (f64::from(*v) - mean).powi(2))
        .sum::<f64>()
        / count;
    assert!((mean - 500.0).abs() < 2.0, "{mean}");
    assert!((variance.sqrt() - 50.0).abs() < 1.5, "{variance}");
    let edge = ints("int = normal(0, 100, 0, 100)", 5_000);
    assert!(edge.iter().all(|value| (0..=100).contains(value)));
}

#[test]
fn decimals_lie_between_their_ends_in_steps_of_their_scale() {
    let mut seen = std::collections::BTreeSet::new();
    for value in draws("decimal(5, 2) = random(-0.02, 0.03)", 500) {
        let Value::Decimal { unscaled, scale: 2 } = value else {
            panic!("{value:?}");
        };
        seen.insert(unscaled);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [-2, -1, 0, 1, 2, 3]);
    assert_eq!(fixed("1.5", 2), Some(150));
    assert_eq!(fixed("-.5", 1), Some(-5));
    assert_eq!(fixed("7", 3), Some(7000));
    for wrong in ["1.234", "", ".", "1.2.3", "--1", "1e3"] {
        assert_eq!(fixed(wrong, 2), None, "{wrong}");
    }
}

#[test]
fn texts_have_the_lengths_that_were_asked_for() {
    let mut lengths = std::collections::BTreeSet::new();
    for value in draws("varchar(9) = random_text(3, 5)", 200) {
        let Value::Text(text) = value else {
            panic!("{value:?}")
        };
        assert!(
            text.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "{text}"
        );
        lengths.insert(text.len());
    }
    assert_eq!(lengths.into_iter().collect::<Vec<_>>(), [3, 4, 5]);
}

#[test]
fn a_choice_gives_its_values_and_a_constant_itself() {
    let drawn = draws("nvarchar(9) = choice('O''Brien', 'b', '')", 100);
    for expected in ["O'Brien", "b", ""] {
        assert!(drawn.contains(&Value::Text(expected.into())), "{expected}");
    }
    assert_eq!(
        draws("smallint = -7", 2),
        [Value::SmallInt(-7), Value::SmallInt(-7)]
    );
}

#[test]
fn a_guid_is_of_version_4_and_another_each_time() {
    let drawn = draws("uniqueidentifier = random_guid()", 50);
    for (at, value) in drawn.iter().enumerate() {
        let Value::Guid(bytes) = value else {
            panic!("{value:?}")
        };
        assert_eq!((bytes[6] >> 4, bytes[8] >> 6), (4, 2));
        assert!(!drawn[..at].contains(value));
    }
}
