//! A class file builder for tests, whose parts can be changed individually before they are serialised.

/// The parts of a class file as bytes.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) magic: u32,
    pub(crate) version: (u16, u16),
    /// Difference between `constant_pool_count` and the number of indices in `pool`, which is 1 for a valid file.
    pub(crate) pool_excess: u16,
    pub(crate) pool: Vec<Vec<u8>>,
    pub(crate) access: u16,
    pub(crate) this_class: u16,
    pub(crate) super_class: u16,
    pub(crate) interfaces: Vec<u16>,
    pub(crate) fields: Vec<Vec<u8>>,
    pub(crate) methods: Vec<Vec<u8>>,
    pub(crate) attributes: Vec<Vec<u8>>,
    pub(crate) trailing: Vec<u8>,
}

impl Parts {
    /// Returns `class T { static final int f = 7; static native void n(); static void m() {} }`,
    /// of version 52.0, with a source file and line numbers.
    pub(crate) fn sample() -> Self {
        let mut parts = Self {
            magic: 0xcafe_babe,
            version: (52, 0),
            pool_excess: 1,
            pool: Vec::new(),
            access: 0x0021,
            this_class: 0,
            super_class: 0,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            attributes: Vec::new(),
            trailing: Vec::new(),
        };
        parts.this_class = parts.class("T");
        parts.super_class = parts.class("java/lang/Object");
        let seven = parts.add(&[3, 0, 0, 0, 7]);
        let value = parts.attribute("ConstantValue", &seven.to_be_bytes());
        let field = parts.member(0x0018, "f", "I", &[value]);
        parts.fields.push(field);
        let native = parts.member(0x0108, "n", "()V", &[]);
        parts.methods.push(native);
        let lines = parts.attribute("LineNumberTable", &[0, 1, 0, 0, 0, 5]);
        let code = parts.code(0, 0, &[0xb1], &[], &[lines]);
        let method = parts.member(0x0008, "m", "()V", &[code]);
        parts.methods.push(method);
        let source = parts.utf8("T.java");
        let source = parts.attribute("SourceFile", &source.to_be_bytes());
        parts.attributes.push(source);
        parts
    }

    /// Turns the sample class into a module, in the first class file version that has modules.
    pub(crate) fn become_module(&mut self) {
        self.version = (53, 0);
        self.access = 0x8000;
        self.super_class = 0;
        self.fields.clear();
        self.methods.clear();
        self.this_class = self.class("module-info");
    }

    /// Adds a constant, given as bytes with its tag. Returns its index.
    pub(crate) fn add(&mut self, constant: &[u8]) -> u16 {
        self.pool.push(constant.to_vec());
        self.pool
            .iter()
            .map(|constant| indices(constant))
            .sum::<u16>()
            + 1
            - indices(constant)
    }

    /// Adds a `Utf8` constant, unless the pool has an equal constant. Returns its index.
    pub(crate) fn utf8(&mut self, text: &str) -> u16 {
        self.utf8_bytes(text.as_bytes())
    }

    /// Adds a `Utf8` constant with arbitrary bytes, unless the pool has an equal constant. Returns its index.
    pub(crate) fn utf8_bytes(&mut self, text: &[u8]) -> u16 {
        let mut constant = vec![1];
        constant.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
        constant.extend(text);
        match self.pool.iter().position(|present| *present == constant) {
            Some(position) => {
                self.pool[..position]
                    .iter()
                    .map(|constant| indices(constant))
                    .sum::<u16>()
                    + 1
            }
            None => self.add(&constant),
        }
    }

    /// Adds a constant that consists of constant pool indices. Returns its index.
    pub(crate) fn reference(&mut self, tag: u8, indices: &[u16]) -> u16 {
        let mut constant = vec![tag];
        constant.extend(indices.iter().flat_map(|index| index.to_be_bytes()));
        self.add(&constant)
    }

    /// Adds a `Class`. Returns its index.
    pub(crate) fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.reference(7, &[name])
    }

    /// Adds a `NameAndType`. Returns its index.
    pub(crate) fn name_and_type(&mut self, name: &str, descriptor: &str) -> u16 {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        self.reference(12, &[name, descriptor])
    }

    /// Adds a `Fieldref`, `Methodref` or `InterfaceMethodref`. Returns its index.
    pub(crate) fn member_reference(&mut self, tag: u8, name: &str, descriptor: &str) -> u16 {
        let class = self.this_class;
        let name_and_type = self.name_and_type(name, descriptor);
        self.reference(tag, &[class, name_and_type])
    }

    /// Returns the bytes of an attribute.
    pub(crate) fn attribute(&mut self, name: &str, contents: &[u8]) -> Vec<u8> {
        let mut bytes = self.utf8(name).to_be_bytes().to_vec();
        bytes.extend(u32::try_from(contents.len()).unwrap().to_be_bytes());
        bytes.extend(contents);
        bytes
    }

    /// Returns the bytes of a `Code` attribute.
    pub(crate) fn code(
        &mut self,
        max_stack: u16,
        max_locals: u16,
        code: &[u8],
        exceptions: &[[u16; 4]],
        attributes: &[Vec<u8>],
    ) -> Vec<u8> {
        let mut contents = [max_stack.to_be_bytes(), max_locals.to_be_bytes()].concat();
        contents.extend(u32::try_from(code.len()).unwrap().to_be_bytes());
        contents.extend(code);
        contents.extend(u16::try_from(exceptions.len()).unwrap().to_be_bytes());
        contents.extend(
            exceptions
                .iter()
                .flatten()
                .flat_map(|number| number.to_be_bytes()),
        );
        contents.extend(counted(attributes));
        self.attribute("Code", &contents)
    }

    /// Returns the bytes of a field or method.
    pub(crate) fn member(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
        attributes: &[Vec<u8>],
    ) -> Vec<u8> {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let mut bytes: Vec<u8> = [access, name, descriptor]
            .iter()
            .flat_map(|number| number.to_be_bytes())
            .collect();
        bytes.extend(counted(attributes));
        bytes
    }

    /// Adds a method with the code `return`, and with enough local variables for any parameters.
    pub(crate) fn add_method(&mut self, access: u16, name: &str, descriptor: &str) {
        let code = self.code(0, 300, &[0xb1], &[], &[]);
        let method = self.member(access, name, descriptor, &[code]);
        self.methods.push(method);
    }

    /// Adds a field without attributes.
    pub(crate) fn add_field(&mut self, access: u16, name: &str, descriptor: &str) {
        let field = self.member(access, name, descriptor, &[]);
        self.fields.push(field);
    }

    /// Replaces the last method by a method with this `Code` attribute.
    pub(crate) fn replace_code(&mut self, code: Vec<u8>) {
        self.methods.pop();
        let method = self.member(0x0008, "m", "()V", &[code]);
        self.methods.push(method);
    }

    /// Returns the bytes of the class file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.magic.to_be_bytes().to_vec();
        let count = self
            .pool
            .iter()
            .map(|constant| indices(constant))
            .sum::<u16>()
            + self.pool_excess;
        let (major, minor) = self.version;
        bytes.extend(
            [minor, major, count]
                .iter()
                .flat_map(|number| number.to_be_bytes()),
        );
        bytes.extend(self.pool.concat());
        let interfaces = u16::try_from(self.interfaces.len()).unwrap();
        let head = [self.access, self.this_class, self.super_class, interfaces];
        bytes.extend(
            head.iter()
                .chain(&self.interfaces)
                .flat_map(|number| number.to_be_bytes()),
        );
        for members in [&self.fields, &self.methods, &self.attributes] {
            bytes.extend(counted(members));
        }
        bytes.extend(&self.trailing);
        bytes
    }
}

/// Returns the number of indices that a constant takes.
fn indices(constant: &[u8]) -> u16 {
    if matches!(constant[0], 5 | 6) { 2 } else { 1 }
}

fn counted(parts: &[Vec<u8>]) -> Vec<u8> {
    [
        &u16::try_from(parts.len()).unwrap().to_be_bytes()[..],
        &parts.concat(),
    ]
    .concat()
}
