//! Writes class files constant by constant and byte by byte, for class files that no assembler would write.

/// The flag `ACC_STATIC` of fields and methods.
const STATIC: u16 = 0x0008;
/// The flag `ACC_SUPER` of the class.
const SUPER: u16 = 0x0020;
/// The version of the class files (Java 5), which needs no `StackMapTable`.
const VERSION: u16 = 49;

const UTF8: u8 = 1;
const INTEGER: u8 = 3;
const CLASS: u8 = 7;
const FIELD_REF: u8 = 9;
const METHOD_REF: u8 = 10;
const NAME_AND_TYPE: u8 = 12;

/// An unfinished class file.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    constants: Vec<u8>,
    /// `constant_pool_count`: the number of constants plus one.
    count: u16,
    this: u16,
    object: u16,
    code: u16,
    fields: Vec<u8>,
    field_count: u16,
    methods: Vec<u8>,
    method_count: u16,
}

impl Writer {
    /// Begins a class with this name.
    pub(super) fn new(name: &str) -> Writer {
        let mut writer = Writer {
            constants: Vec::new(),
            count: 1,
            this: 0,
            object: 0,
            code: 0,
            fields: Vec::new(),
            field_count: 0,
            methods: Vec::new(),
            method_count: 0,
        };
        let name = writer.utf8(name);
        writer.this = writer.class(name);
        let object = writer.utf8("java/lang/Object");
        writer.object = writer.class(object);
        writer.code = writer.utf8("Code");
        writer
    }

    /// Returns the index of the class constant of the class itself.
    pub(super) fn this(&self) -> u16 {
        self.this
    }

    /// Returns how many more constants fit for a `constant_pool_count` of `count_max`.
    pub(super) fn constants_left(&self, count_max: u16) -> u16 {
        count_max - self.count
    }

    fn constant(&mut self, tag: u8, operands: &[u16]) -> u16 {
        self.constants.push(tag);
        for operand in operands {
            self.constants.extend(operand.to_be_bytes());
        }
        self.count += 1;
        self.count - 1
    }

    pub(super) fn utf8(&mut self, text: &str) -> u16 {
        let length = u16::try_from(text.len()).expect("texts fit a class file");
        let index = self.constant(UTF8, &[length]);
        self.constants.extend(text.as_bytes());
        index
    }

    pub(super) fn integer(&mut self, value: u32) -> u16 {
        let index = self.constant(INTEGER, &[]);
        self.constants.extend(value.to_be_bytes());
        index
    }

    pub(super) fn class(&mut self, name: u16) -> u16 {
        self.constant(CLASS, &[name])
    }

    pub(super) fn name_and_type(&mut self, name: u16, descriptor: u16) -> u16 {
        self.constant(NAME_AND_TYPE, &[name, descriptor])
    }

    pub(super) fn field_ref(&mut self, class: u16, name_and_type: u16) -> u16 {
        self.constant(FIELD_REF, &[class, name_and_type])
    }

    pub(super) fn method_ref(&mut self, class: u16, name_and_type: u16) -> u16 {
        self.constant(METHOD_REF, &[class, name_and_type])
    }

    /// Declares a static field, given the indices of the constants with its name and descriptor.
    pub(super) fn field(&mut self, name: u16, descriptor: u16) {
        for word in [STATIC, name, descriptor, 0] {
            self.fields.extend(word.to_be_bytes());
        }
        self.field_count += 1;
    }

    /// Declares a static method, given the indices of the constants with its name and descriptor.
    pub(super) fn method(&mut self, name: u16, descriptor: u16, frame: (u16, u16), code: &[u8]) {
        self.method_with_lines((name, descriptor), frame, code, &[]);
    }

    /// Declares a static method with a line number table of pairs of pc and line. If the list is empty, the method has
    /// no such table.
    pub(super) fn method_with_lines(
        &mut self,
        (name, descriptor): (u16, u16),
        frame: (u16, u16),
        code: &[u8],
        lines: &[(u16, u16)],
    ) {
        let mut attributes = Vec::new();
        if let Ok(count @ 1..) = u16::try_from(lines.len()) {
            let name = self.utf8("LineNumberTable");
            attributes.extend(name.to_be_bytes());
            attributes.extend((u32::from(count) * 4 + 2).to_be_bytes());
            attributes.extend(count.to_be_bytes());
            for word in lines.iter().flat_map(|(pc, line)| [pc, line]) {
                attributes.extend(word.to_be_bytes());
            }
        }
        for word in [STATIC, name, descriptor, 1, self.code] {
            self.methods.extend(word.to_be_bytes());
        }
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).expect("it fits a class file");
        // In a `Code` attribute, 12 more bytes are two limits, the code's length, and the counts of handlers and
        // attributes (JVMS §4.7.3).
        let rest = length(code) + length(&attributes) + 12;
        self.methods.extend(rest.to_be_bytes());
        self.methods.extend(frame.0.to_be_bytes());
        self.methods.extend(frame.1.to_be_bytes());
        self.methods.extend(length(code).to_be_bytes());
        self.methods.extend(code);
        self.methods.extend([0, 0]);
        let has_lines = u16::from(!attributes.is_empty());
        self.methods.extend(has_lines.to_be_bytes());
        self.methods.extend(attributes);
        self.method_count += 1;
    }

    /// Declares `static void m0()`, `m1()` and so on, all with this code.
    pub(super) fn methods(&mut self, count: u16, frame: (u16, u16), code: &[u8]) {
        let descriptor = self.utf8("()V");
        for number in 0..count {
            let name = self.utf8(&format!("m{number}"));
            self.method(name, descriptor, frame, code);
        }
    }

    /// Returns the class file.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut bytes = 0xcafe_babe_u32.to_be_bytes().to_vec();
        for word in [0, VERSION, self.count] {
            bytes.extend(word.to_be_bytes());
        }
        bytes.extend(self.constants);
        for word in [SUPER, self.this, self.object, 0, self.field_count] {
            bytes.extend(word.to_be_bytes());
        }
        bytes.extend(self.fields);
        bytes.extend(self.method_count.to_be_bytes());
        bytes.extend(self.methods);
        bytes.extend([0, 0]);
        bytes
    }
}
