//! The macro that turns the table of keys into code: the structs of a profile, and functions that read, list and move
//! its values.

use super::source::Source;

/// A key of a profile, as the table of keys describes it.
#[derive(Copy, Clone, Debug)]
pub struct Key {
    /// Name of its section.
    pub section: &'static str,
    /// Name within the section.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Form in which a file writes the key's value.
    pub form: &'static str,
    /// Default value if a file does not have the key; `None` if the key is required.
    pub absent: Option<Absent>,
}

impl Key {
    /// Returns the key's section and name, as in `base.receive`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }
}

/// The default of an absent key.
#[derive(Copy, Clone, Debug)]
pub enum Absent {
    /// The default is this value, in the form that a file uses.
    Value(fn() -> String),
    /// The default is the value of another key of the same section.
    As(&'static str),
}

/// A value of a profile, with its key.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: &'static Key,
    /// The value of the key, in the form that a file uses.
    pub value: String,
    /// The source of the value.
    pub source: Source,
}

/// A profile with one value changed.
#[derive(Clone, Debug)]
pub struct Moved<P> {
    /// The key of the changed value.
    pub key: &'static Key,
    /// Source of the value before the change.
    pub source: Source,
    /// The changed value, in the form that a file uses.
    pub value: String,
    /// The changed profile.
    pub profile: P,
}

/// A profile whose values can be changed one by one.
pub(super) trait Movable: Clone {
    /// Returns whether the values of the profile fit together.
    fn is_valid(&self) -> bool;
}

/// Collects profiles that each change one value.
pub(super) struct Moving<'p, P> {
    profile: &'p P,
    keys: std::iter::Zip<std::slice::Iter<'static, Key>, std::slice::Iter<'p, Source>>,
    pub(super) done: Vec<Moved<P>>,
}

impl<'p, P: Movable> Moving<'p, P> {
    pub(super) fn new(
        profile: &'p P,
        keys: &'static [Key],
        sources: &'p [Source],
    ) -> Moving<'p, P> {
        Moving {
            profile,
            keys: keys.iter().zip(sources),
            done: Vec::new(),
        }
    }

    /// Changes the next key's value to each of `values`. The function `set` changes the value and returns the value's
    /// written form.
    pub(super) fn next<T>(
        &mut self,
        values: impl IntoIterator<Item = T>,
        set: fn(&mut P, T) -> String,
    ) {
        let Some((key, &source)) = self.keys.next() else {
            return;
        };
        for value in values {
            let mut profile = self.profile.clone();
            let value = set(&mut profile, value);
            if profile.is_valid() {
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

/// A section of a profile that may be optional.
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

/// Declares a profile and its sections. For each section the macro generates two structs, as written and as resolved,
/// and the descriptions of its keys. The word `optional` after a section's name marks an optional section. An optional
/// key has a default after `=`, or the name of another key after `or`.
/// A section that `holds` another one accepts it as a value too.
macro_rules! sections {
    ($(
        $(#[doc = $doc:literal])+
        $section:ident $($optional:ident)?: $name:ident / $written:ident $(holds $held:ident: $of_held:ident)? {$(
            $(#[doc = $meaning:literal])+
            $key:ident: $value:ty as $kind:ident $(= $constant:expr)? $(, or $other:ident)?;
        )+}
    )+) => {
        /// All keys of a profile, in the order of the table of keys.
        pub const KEYS: &[Key] = &[$($(Key {
            section: stringify!($section),
            name: stringify!($key),
            meaning: concat!($($meaning),+),
            form: $kind::FORM,
            absent: sections!(@absent $kind $(= $constant)? $(, $other)?),
        },)+)+];

        /// The optional sections.
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
            pub(super) struct $written {$(
                $key: sections!(@written $kind $(= $constant)? $(, $other)?),
            )+ $(
                /// Another section, which a file may write as a value of this one.
                #[serde(default)]
                pub(super) $held: Option<Box<$of_held>>,
            )?}

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

        /// A profile: the cost model of a NIC and its host. A value of this type proves that the profile is complete and
        /// that its values are within their limits.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Profile {
            /// Name of the profile, as traces show it.
            pub name: String,
            $(
                $(#[doc = $doc])+
                pub $section: sections!(@field $name $($optional)?),
            )+
            /// Where the NIC puts arriving packets.
            pub receive: Receive,
            /// The facilities that the key `natives` lists; `None` if the profile does not have the key.
            pub natives: Option<Vec<Need>>,
            /// Placements of the stages of EMP, by name. A scenario may name one of these placements.
            pub placements: Vec<(String, EmpPlaces)>,
            /// Source of each value of the profile, in the order of [`KEYS`].
            pub(super) sources: Vec<Source>,
        }

        /// A profile in the form that a file uses, with costs that may be in cycles.
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct WrittenProfile {
            name: String,
            #[serde(default)]
            receive: Receive,
            natives: Option<Vec<Listed>>,
            #[serde(default)]
            pub(super) placement: std::collections::BTreeMap<String, std::collections::BTreeMap<String, super::source::Place>>,
            // Sections and their values are boxed, because the caller's stack may be small.
            $(pub(super) $section: sections!(@section $written $($optional)?),)+
        }

        impl WrittenProfile {
            pub(super) fn resolve(self) -> Result<Profile, UnitError> {
                // The clock rate itself does not depend on a clock, so any clock serves to resolve it.
                let (clock, _) = self.processor.clock.resolve(NonZeroU64::MIN)?;
                let mut sources = Vec::with_capacity(KEYS.len());
                Ok(Profile {
                    name: self.name,
                    $($section: sections!(@resolved self.$section, $section, clock, sources $(, $optional)?),)+
                    receive: self.receive,
                    natives: self.natives.map(|listed| listed.into_iter().map(|Listed(need)| need).collect()),
                    placements: Vec::new(),
                    sources,
                })
            }
        }

        impl Profile {
            /// Returns the first of the given sections that the profile does not have.
            #[must_use]
            pub fn lacks(&self, sections: &[&'static str]) -> Option<&'static str> {
                let has = |section: &str| match section {
                    $(stringify!($section) => Section::<$name>::present(&self.$section).is_some(),)+
                    _ => false,
                };
                sections.iter().copied().find(|section| !has(section))
            }

            /// Returns all values of the profile, with their keys and sources.
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

            /// Returns profiles that each change one value: a measured value by 5 % up and down, a count by one, a
            /// choice to each alternative. Changes that give no valid profile are omitted.
            #[must_use]
            pub fn moves(&self) -> Vec<Moved<Profile>> {
                let mut moves = Moving::new(self, KEYS, &self.sources);
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

            /// Returns profiles that each change one choice to an alternative. Changes that give no valid profile are
            /// omitted.
            #[must_use]
            pub fn alternatives(&self) -> Vec<Moved<Profile>> {
                let mut moves = Moving::new(self, KEYS, &self.sources);
                $($(
                    let own = Section::<$name>::present(&self.$section);
                    let others = own.map(|section| $kind::alternatives(section.$key)).unwrap_or_default();
                    moves.next(others, |profile, value| {
                        if let Some(section) = Section::<$name>::present_mut(&mut profile.$section) {
                            section.$key = value;
                        }
                        $kind::show(value)
                    });
                )+)+
                moves.done
            }

            /// Returns profiles that each multiply one value by a factor. Changes that give an invalid or an equal
            /// profile are omitted.
            #[must_use]
            pub fn scaled(&self, factor: Factor) -> Vec<Moved<Profile>> {
                let mut moves = Moving::new(self, KEYS, &self.sources);
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
    (@field $name:ident) => { $name };
    (@field $name:ident optional) => { Option<$name> };
    (@section $written:ident) => { Box<$written> };
    (@section $written:ident optional) => { Option<Box<$written>> };
    (@resolved $own:expr, $section:ident, $clock:ident, $sources:ident) => {
        $own.resolve($clock, &mut $sources)?
    };
    (@resolved $own:expr, $section:ident, $clock:ident, $sources:ident, optional) => {
        match $own {
            Some(own) => Some(own.resolve($clock, &mut $sources)?),
            None => {
                // An absent section still gets one source for each of its keys, so that sources and keys stay aligned.
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
