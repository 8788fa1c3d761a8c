//! Loaded classes that own their memory and that threads share, for programs with an allocator.

use std::mem::MaybeUninit;
use std::sync::{Arc, OnceLock};

use bumpalo::Bump;
use jive_core::{
    ClassFile, Cut, FieldAccess, LinkedClass, MethodId, NativeDecl, NativeParameter, NativeType,
};
use jive_load::{LoadSize, Storage};
use jive_verifier::Policy;
use self_cell::{MutBorrow, self_cell};

use crate::error::{CallError, HandleError, NoMember};
use crate::handle::{ClassNumber, Field, FieldKind, Method, Signature};
use crate::host::Host;
use crate::instance::{Instance, State};
use crate::limits::Limits;
use crate::load::{Growing, LoadError, PADDING};
use crate::{names, preset};

/// Parses, verifies and links a class file. The class may call only the natives of the table `natives`.
///
/// `load` requires no particular members of the class. Use [`load_as`] for a class that must satisfy a [`Policy`].
///
/// ```
/// use jive_embed::{Limits, NoNatives, Value, load};
///
/// # let bytes = include_bytes!("../examples/Filter.class");
/// let class = load(bytes, &[])?;
/// let accept = class.method("accept", "([BI)Z")?;
/// let mut filter = class.instantiate(Limits::default(), NoNatives)?;
/// let packet = filter.bytes_from(b"hello")?;
/// let returned = filter.call(accept, &[packet.into(), 5.into()])?;
/// assert_eq!(returned.value, Some(Value::Int(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The error names the stage of loading that rejected the class. With the feature `diagnosis`, `explain` turns the error
/// into a diagnosis with names, the line and a hint.
pub fn load(bytes: &[u8], natives: &[NativeDecl<'_>]) -> Result<LoadedClass, LoadError> {
    load_as(bytes, Policy::ClassOnly, natives)
}

/// Parses, verifies and links a class file that must satisfy a policy.
///
/// # Errors
///
/// The error names the stage of loading that rejected the class.
pub fn load_as(
    bytes: &[u8],
    policy: Policy,
    natives: &[NativeDecl<'_>],
) -> Result<LoadedClass, LoadError> {
    let own = linked(bytes.into(), policy, natives)?;
    let class = own.borrow_dependent().class;
    let methods = class.methods();
    let signatures = methods.map(|method| Signature::of(method.descriptor.as_bytes()));
    Ok(LoadedClass(Arc::new(Loaded {
        number: ClassNumber::next(),
        signatures: signatures.collect(),
        policy,
        natives: natives.iter().map(OwnedNative::of).collect(),
        preset: OnceLock::new(),
        own,
    })))
}

/// A verified and linked class, with its memory.
///
/// A loaded class has the same guarantees as [`Verified`](jive_core::Verified). It is a handle: a clone is the same
/// class, in the same memory, and threads share it. The memory is freed with the last handle and the last instance.
#[derive(Clone)]
pub struct LoadedClass(pub(crate) Arc<Loaded>);

/// What all handles and instances of a class share.
pub(crate) struct Loaded {
    pub(crate) number: ClassNumber,
    /// By [`MethodId`].
    signatures: Box<[Signature]>,
    policy: Policy,
    natives: Box<[OwnedNative]>,
    /// The class as instances run it whose fields are set before the initializer, once there is one.
    preset: OnceLock<Result<Option<Linked>, LoadError>>,
    own: Linked,
}

/// A row of a table of natives, kept for loading the class once more.
struct OwnedNative {
    class: String,
    name: String,
    parameters: Box<[NativeType]>,
    result: Option<NativeType>,
}

impl OwnedNative {
    fn of(native: &NativeDecl<'_>) -> OwnedNative {
        OwnedNative {
            class: native.class.to_owned(),
            name: native.name.to_owned(),
            parameters: native.parameters.iter().map(|row| row.kind).collect(),
            result: native.result,
        }
    }
}

struct Memory {
    bytes: Box<[u8]>,
    index: MutBorrow<Vec<u32>>,
    /// The memory of the program, whose size is known once the class is parsed.
    program: OnceLock<MutBorrow<Box<[MaybeUninit<u8>]>>>,
}

self_cell! {
    struct Linked {
        owner: Memory,

        #[covariant]
        dependent: LinkedClass,
    }
}

/// Loads a class into memory of its own.
fn linked(
    bytes: Box<[u8]>,
    policy: Policy,
    natives: &[NativeDecl<'_>],
) -> Result<Linked, LoadError> {
    let memory = Memory {
        index: MutBorrow::new(vec![0; ClassFile::index_len(&bytes)]),
        program: OnceLock::new(),
        bytes,
    };
    Linked::try_new(memory, |memory| {
        let class = ClassFile::parse(&memory.bytes, memory.index.borrow_mut())?;
        let size = LoadSize::of(&class);
        let kept = memory
            .program
            .get_or_init(|| MutBorrow::new(Box::new_uninit_slice(size.kept_bytes())));
        let scratch = Bump::with_capacity(size.work.bytes().saturating_add(PADDING));
        let scratch = Growing(&scratch);
        let verified = jive_load::verify(class, size.work, policy, natives, &mut (), &scratch)?;
        let kept = Storage::new(kept.borrow_mut());
        let program = jive_load::link(&verified, size.program, &kept, &scratch)?;
        Ok(LinkedClass { class, program })
    })
}

impl Loaded {
    pub(crate) fn linked(&self) -> &LinkedClass<'_> {
        self.own.borrow_dependent()
    }

    /// Returns the class as an instance runs it.
    pub(crate) fn linked_for(&self, is_preset: bool) -> &LinkedClass<'_> {
        match self.preset.get() {
            Some(Ok(Some(preset))) if is_preset => preset.borrow_dependent(),
            Some(_) | None => self.linked(),
        }
    }

    /// Makes sure that [`Loaded::linked_for`] knows the class as instances run it whose fields are set.
    pub(crate) fn make_preset(&self) -> Result<(), LoadError> {
        let made = self.preset.get_or_init(|| {
            let bytes = &self.own.borrow_owner().bytes;
            let Some(rewritten) = preset::rewrite(bytes, self.linked()) else {
                return Ok(None);
            };
            let name = "";
            let parameter = |kind: &NativeType| NativeParameter { name, kind: *kind };
            let parameters = self.natives.iter().map(|native| {
                let parameters = native.parameters.iter().map(parameter);
                parameters.collect::<Vec<_>>()
            });
            let parameters = parameters.collect::<Vec<_>>();
            let natives = self.natives.iter().zip(&parameters);
            let natives = natives.map(|(native, parameters)| NativeDecl {
                class: &native.class,
                name: &native.name,
                parameters,
                result: native.result,
            });
            let natives = preset::with_stores(&natives.collect::<Vec<_>>());
            linked(rewritten.into(), self.policy, &natives).map(Some)
        });
        match made {
            Ok(_) => Ok(()),
            Err(error) => Err(*error),
        }
    }

    /// Returns how many natives the program offers to the class.
    pub(crate) const fn native_count(&self) -> usize {
        self.natives.len()
    }

    pub(crate) fn signature(&self, method: MethodId) -> Option<&Signature> {
        self.signatures.get(method.index())
    }

    /// Returns the name of the class in Java syntax.
    pub(crate) fn name(&self) -> String {
        names::class_name(&self.linked().class)
    }

    /// Checks that a handle was made by this class.
    pub(crate) fn own(&self, handle: ClassNumber) -> Result<(), HandleError> {
        if handle == self.number {
            return Ok(());
        }
        let class = self.name();
        Err(HandleError::Foreign { class })
    }
}

impl LoadedClass {
    /// Borrows the parsed and linked class.
    #[must_use]
    pub fn linked(&self) -> &LinkedClass<'_> {
        self.0.linked()
    }

    /// Returns the name of the class in Java syntax, with `.` between packages.
    #[must_use]
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Looks up a method that has code, by its name and its descriptor (JVMS §4.3.3), such as `(II)I`.
    ///
    /// # Errors
    ///
    /// Fails if the class has no such method.
    pub fn method(&self, name: &str, descriptor: &str) -> Result<Method, NoMember> {
        let methods = self.linked().class.methods();
        let mut named = methods.filter(|method| {
            method.name == name && !name.starts_with('<') && method.code().is_some()
        });
        // The subset has no overloaded methods.
        match named.next() {
            Some(method) if method.descriptor == descriptor => Ok(Method {
                class: self.0.number,
                id: method.id,
            }),
            found => Err(NoMember {
                class: self.name(),
                member: format!("{name}{descriptor}"),
                found: found
                    .map(|method| format!("{}{}", Cut(method.name), Cut(method.descriptor))),
            }),
        }
    }

    /// Looks up a field by its name and its type: an `int` field is a `Field<i32>`, a `boolean[]` a `Field<[bool]>`.
    ///
    /// ```
    /// # let class = jive_embed::load(include_bytes!("../examples/Filter.class"), &[])?;
    /// let dropped = class.field::<i32>("dropped")?;
    /// assert!(class.field::<[i8]>("dropped").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the class has no field of this name and type.
    pub fn field<T: FieldKind + ?Sized>(&self, name: &str) -> Result<Field<T>, NoMember> {
        let named = || {
            let fields = self.linked().class.fields();
            fields.filter(|field| field.name == name)
        };
        match named().find(|field| field.descriptor == T::DESCRIPTOR) {
            Some(field) => {
                let is_static = field.access.contains(FieldAccess::STATIC);
                Ok(Field::new(self.0.number, field.id, is_static))
            }
            None => Err(NoMember {
                class: self.name(),
                member: format!("{name}:{}", T::DESCRIPTOR),
                found: named()
                    .next()
                    .map(|field| format!("{}:{}", Cut(field.name), Cut(field.descriptor))),
            }),
        }
    }

    /// Creates an instance. Runs the static initializer and then the constructor without parameters, if the class has
    /// them. The instance shares the class, and can live longer than this handle of it.
    ///
    /// # Errors
    ///
    /// Fails if the static initializer or the constructor ends in a trap, or if a limit is too great.
    pub fn instantiate<H: Host>(
        &self,
        limits: Limits,
        natives: H,
    ) -> Result<Instance<H>, CallError<H::Error>> {
        self.instantiate_with(&State::default(), limits, natives)
    }

    /// Creates an instance whose static fields have the values of `state` before the static initializer runs. The
    /// initializer's first store to each of these fields is ignored, as in the `state` of a scenario.
    ///
    /// # Errors
    ///
    /// Fails as [`LoadedClass::instantiate`] does, and if the state has a field of another class or of the object.
    pub fn instantiate_with<H: Host>(
        &self,
        state: &State,
        limits: Limits,
        natives: H,
    ) -> Result<Instance<H>, CallError<H::Error>> {
        Instance::new(&self.0, state, limits, natives)
    }
}

impl std::fmt::Debug for LoadedClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedClass")
            .field("name", &self.name())
            .field("program", &self.linked().program)
            .finish_non_exhaustive()
    }
}
