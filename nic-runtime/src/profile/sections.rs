//! What a table of keys becomes: the structs of a profile, the code that reads them, and the code that lists and moves
//! their values.

use super::Profile;
use super::source::Source;

/// A key of a profile.
#[derive(Copy, Clone, Debug)]
pub struct Key {
    /// The section that it is in.
    pub section: &'static str,
    /// Its name there.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What a file may say.
    pub form: &'static str,
    /// What it is where a file leaves it out; `None` where a file must have it.
    pub absent: Option<Absent>,
}

impl Key {
    /// Returns its section and its name, as in `base.receive`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }
}

/// What a key is that a file leaves out.
#[derive(Copy, Clone, Debug)]
pub enum Absent {
    /// What this returns, as a file would have it.
    Value(fn() -> String),
    /// What this other key of its section is.
    As(&'static str),
}

/// A value of a profile.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its key.
    pub key: &'static Key,
    /// The value, as a file would have it.
    pub value: String,
    /// Where it comes from.
    pub source: Source,
}

/// A profile one of whose values is a little more, a little less, or its alternative.
#[derive(Clone, Debug)]
pub struct Moved {
    /// The key of the value.
    pub key: &'static Key,
    /// Where the value that was moved comes from.
    pub source: Source,
    /// The value that it is now, as a file would have it.
    pub value: String,
    /// The profile.
    pub profile: Profile,
}

/// Moves one value of a profile after the other.
pub(super) struct Moving<'p> {
    profile: &'p Profile,
    keys: std::iter::Zip<std::slice::Iter<'static, Key>, std::slice::Iter<'p, Source>>,
    pub(super) done: Vec<Moved>,
}

impl Profile {
    pub(super) fn moving(&self) -> Moving<'_> {
        Moving {
            profile: self,
            keys: super::KEYS.iter().zip(&self.sources),
            done: Vec::new(),
        }
    }
}

impl Moving<'_> {
    /// Moves the next key's value to each of these; `set` does so and shows the value.
    pub(super) fn next<T>(
        &mut self,
        values: impl IntoIterator<Item = T>,
        set: fn(&mut Profile, T) -> String,
    ) {
        let Some((key, &source)) = self.keys.next() else {
            return;
        };
        for value in values {
            let mut profile = self.profile.clone();
            let value = set(&mut profile, value);
            if profile.check_rows().is_ok() {
                self.done.push(Moved {
                    key,
                    source,
                    value,
                    profile,
                });
            }
        }
    }
}

/// The values of a section, which a profile has, or may lack.
pub(super) trait Section<Of> {
    fn present(&self) -> Option<&Of>;
    fn present_mut(&mut self) -> Option<&mut Of>;
}

impl<Of> Section<Of> for Of {
    fn present(&self) -> Option<&Of> {
        Some(self)
    }

    fn present_mut(&mut self) -> Option<&mut Of> {
        Some(self)
    }
}

impl<Of> Section<Of> for Option<Of> {
    fn present(&self) -> Option<&Of> {
        self.as_ref()
    }

    fn present_mut(&mut self) -> Option<&mut Of> {
        self.as_mut()
    }
}

/// Writes each section twice, resolved and as the file has it, and what there is to know of its keys. A section that
/// may be absent has `optional` behind its name. A key that may be absent has a constant behind `=`, or another key of
/// its section behind `or`.
macro_rules! sections {
    ($(
        $(#[doc = $doc:literal])+
        $section:ident $($optional:ident)?: $name:ident / $written:ident {$(
            $(#[doc = $meaning:literal])+
            $key:ident: $value:ty as $kind:ident $(= $constant:expr)? $(, or $other:ident)?;
        )+}
    )+) => {
        /// Every key, in the order of this table.
        pub const KEYS: &[Key] = &[$($(Key {
            section: stringify!($section),
            name: stringify!($key),
            meaning: concat!($($meaning),+),
            form: $kind::FORM,
            absent: sections!(@absent $kind $(= $constant)? $(, $other)?),
        },)+)+];

        /// The sections that a profile may lack.
        pub const OPTIONAL: &[&str] = &[$($(sections!(@name $section $optional),)?)+];

        $(
            $(#[doc = $doc])+
            #[derive(Copy, Clone, Debug, PartialEq, Eq)]
            pub struct $name {$(
                $(#[doc = $meaning])+
                pub $key: $value,
            )+}

            #[derive(serde::Deserialize)]
            #[serde(deny_unknown_fields)]
            struct $written {$(
                $key: sections!(@written $kind $(= $constant)? $(, $other)?),
            )+}

            impl $written {
                fn resolve(self, clock: NonZeroU64, sources: &mut Vec<Source>) -> Result<$name, UnitError> {
                    $(
                        let $key = sections!(@resolve self.$key, clock $(= $constant)? $(, $other)?);
                        sources.push($key.1);
                    )+
                    Ok($name { $($key: $key.0,)+ })
                }
            }
        )+

        /// A profile as written: costs may still be cycles.
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct WrittenProfile {
            name: String,
            // In the heap, as the values of each section: the stack may be small.
            $($section: sections!(@section $written $($optional)?),)+
        }

        impl WrittenProfile {
            pub(super) fn resolve(self) -> Result<Profile, UnitError> {
                // A frequency means the same under every clock.
                let (clock, _) = self.processor.clock.resolve(NonZeroU64::MIN)?;
                let mut sources = Vec::with_capacity(KEYS.len());
                Ok(Profile {
                    name: self.name,
                    $($section: sections!(@resolved self.$section, $section, clock, sources $(, $optional)?),)+
                    sources,
                })
            }
        }

        impl Profile {
            /// Returns the first of these sections that it lacks.
            #[must_use]
            pub fn lacks(&self, sections: &[&'static str]) -> Option<&'static str> {
                let has = |section: &str| match section {
                    $(stringify!($section) => Section::<$name>::present(&self.$section).is_some(),)+
                    _ => false,
                };
                sections.iter().copied().find(|section| !has(section))
            }

            /// Returns every value, with its key and where it comes from.
            #[must_use]
            pub fn entries(&self) -> Vec<Entry> {
                let values = [$($(
                    Section::<$name>::present(&self.$section).map(|section| $kind::show(section.$key)),
                )+)+];
                let entries = KEYS.iter().zip(values).zip(&self.sources);
                entries
                    .filter_map(|((key, value), &source)| Some(Entry { key, value: value?, source }))
                    .collect()
            }

            /// Returns profiles that differ from this one in one value each. A measured value moves by 5 % each way, a
            /// count by one, a choice to each alternative. What would be no profile is left out.
            #[must_use]
            pub fn moves(&self) -> Vec<Moved> {
                let mut moves = self.moving();
                $($(
                    let own = Section::<$name>::present(&self.$section);
                    let near = own.map(|section| $kind::near(section.$key)).unwrap_or_default();
                    moves.next(near, |profile, value| {
                        if let Some(section) = Section::<$name>::present_mut(&mut profile.$section) {
                            section.$key = value;
                        }
                        $kind::show(value)
                    });
                )+)+
                moves.done
            }

            /// Returns profiles that differ from this one in one value each, which is multiplied by a factor. What would be
            /// no profile, or the same one, is left out.
            #[must_use]
            pub fn scaled(&self, factor: Factor) -> Vec<Moved> {
                let mut moves = self.moving();
                $($(
                    let own = Section::<$name>::present(&self.$section);
                    let scaled = own.and_then(|section| $kind::scaled(section.$key, factor));
                    moves.next(scaled, |profile, value| {
                        if let Some(section) = Section::<$name>::present_mut(&mut profile.$section) {
                            section.$key = value;
                        }
                        $kind::show(value)
                    });
                )+)+
                moves.done
            }
        }
    };
    (@name $section:ident optional) => { stringify!($section) };
    (@section $written:ident) => { Box<$written> };
    (@section $written:ident optional) => { Option<Box<$written>> };
    (@resolved $own:expr, $section:ident, $clock:ident, $sources:ident) => {
        $own.resolve($clock, &mut $sources)?
    };
    (@resolved $own:expr, $section:ident, $clock:ident, $sources:ident, optional) => {
        match $own {
            Some(own) => Some(own.resolve($clock, &mut $sources)?),
            None => {
                // Each key has its place among the sources.
                let keys = KEYS.iter().filter(|key| key.section == stringify!($section));
                $sources.extend(keys.map(|_| Source::Chosen));
                None
            }
        }
    };
    (@absent $kind:ident) => { None };
    (@absent $kind:ident = $constant:expr) => { Some(Absent::Value(|| $kind::show($constant))) };
    (@absent $kind:ident, $other:ident) => { Some(Absent::As(stringify!($other))) };
    (@written $kind:ident) => { Box<Sourced<$kind>> };
    (@written $kind:ident = $constant:expr) => { Option<Box<Sourced<$kind>>> };
    (@written $kind:ident, $other:ident) => { Option<Box<Sourced<$kind>>> };
    (@resolve $own:expr, $clock:ident) => { $own.resolve($clock)? };
    (@resolve $own:expr, $clock:ident = $constant:expr) => {
        match $own {
            Some(own) => own.resolve($clock)?,
            None => ($constant, Source::Chosen),
        }
    };
    (@resolve $own:expr, $clock:ident, $other:ident) => {
        match $own {
            Some(own) => own.resolve($clock)?,
            None => $other,
        }
    };
}

pub(super) use sections;
