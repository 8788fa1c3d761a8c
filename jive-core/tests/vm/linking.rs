//! Tests of linked programs: sizes, origins of ops, storage that is too small, and dead code.

use jive_core::{
    ClassFile, LinkError, LinkErrorKind, LinkSite, MethodId, Op, Origin, Pc, Program, ProgramSize,
    Storage, Verified, link, program_size,
};

use super::machine::{Machine, in_storage};

const DEAD: &[u8] = include_bytes!("../classes/Dead.class");
const ARRAYS: &[u8] = include_bytes!("../classes/Arrays.class");
const CONTROL: &[u8] = include_bytes!("../classes/Control.class");

/// Maximum number of ops that the class `Dead` can be lowered to.
///
/// The methods of `Dead` have 13 and 3 instructions, of which `putstatic` and both `ireturn` may take two ops. Searches
/// for the cases of the two switches in `Dead` may take 12 and 18 more ops. The small variant makes no searches of
/// cases.
const OPS: usize = if cfg!(small) { 19 } else { 49 };

/// The memory that linking the class `Dead` needs. The switches of `Dead` have one case and two cases, and a default
/// each. The `constant_pool_count` of `Dead` is 16, and its longer method has 68 bytes of code.
const SIZE: ProgramSize = ProgramSize {
    ops: OPS,
    places: 16,
    marks: 68,
    methods: 2,
    fields: 1,
    switches: 5,
    constants: 16,
};

/// Links `Dead` in storage of the given size, whose initial contents are not zero.
fn link_in(size: ProgramSize, test: impl FnOnce(Result<Program<'_>, LinkError>)) {
    link_class_in(
        DEAD,
        |needed| {
            assert_eq!(needed, SIZE);
            size
        },
        test,
    );
}

/// Links a class in storage whose size the closure `size` computes from the upper bound.
fn link_class_in(
    bytes: &[u8],
    size: impl FnOnce(ProgramSize) -> ProgramSize,
    test: impl FnOnce(Result<Program<'_>, LinkError>),
) {
    let mut index = vec![0; ClassFile::index_len(bytes)];
    let class = ClassFile::parse(bytes, &mut index).unwrap();
    let verified = Verified::vouch(class, &[], None);
    let size = size(program_size(&verified).unwrap());
    in_storage(size, |storage| test(link(&verified, storage)));
}

#[test]
fn each_variant_makes_its_listed_ops() {
    assert_eq!(Op::PAIRS.is_empty(), !cfg!(threaded));
    let machine = Machine::load(ARRAYS, &[], 0);
    let ops = machine.instance.program().ops().iter();
    // Except in the small variant, the jump back of `for (int i = 0; i < 3; i++)` also increments the counter.
    let counting = ops.filter(|op| op.name().starts_with("Count")).count();
    assert_eq!(counting == 0, cfg!(small));
}

#[test]
fn dead_code_is_left_out_and_live_code_runs() {
    let mut machine = Machine::load(DEAD, &[], 0);
    assert_eq!(machine.call("run", &[]), Ok(None));
    assert_eq!(machine.value("value", &[]), 3);
    assert_eq!(machine.stack.executed(), 2);
}

#[test]
fn an_op_has_the_origin_of_its_instructions() {
    link_in(SIZE, |program| {
        let program = program.unwrap();
        // The instruction `return` is an op. The instructions `iconst_3` and `ireturn` together are another op.
        let [run, value] = [MethodId(0), MethodId(1)];
        let origin = |pc, instructions| {
            Some(Origin {
                pc: Pc(pc),
                instructions,
            })
        };
        assert_eq!(program.origin(run, 0), origin(0, 1));
        assert_eq!(program.origin(value, 1), origin(1, 2));
        assert_eq!(program.origin(value, 2), None);
        assert_eq!(program.code_bytes(), 68 + 3);
    });
}

#[test]
fn the_size_of_a_program_does_not_depend_on_the_platform() {
    link_in(SIZE, |program| {
        // The class has three reachable instructions, two methods and a field.
        assert_eq!(program.unwrap().byte_size(), 3 * 12 + 2 * 24 + 8);
    });
}

#[test]
fn storage_larger_than_needed_is_not_counted() {
    let larger = ProgramSize {
        ops: 100,
        places: 100,
        marks: 100,
        methods: 100,
        fields: 100,
        switches: 100,
        constants: 100,
    };
    link_in(larger, |program| {
        let program = program.unwrap();
        assert_eq!((program.ops().len(), program.field_count()), (2, 1));
        link_in(SIZE, |exact| {
            assert_eq!(program.byte_size(), exact.unwrap().byte_size())
        });
    });
}

#[test]
fn storage_for_the_reachable_code_is_enough() {
    let live = ProgramSize {
        ops: 2,
        places: 3,
        switches: 0,
        ..SIZE
    };
    link_in(live, |program| assert_eq!(program.unwrap().ops().len(), 2));
}

/// Returns the error of the linker for storage that is too small.
fn too_small(storage: Storage, needed: usize, found: usize) -> LinkError {
    LinkError {
        at: LinkSite::Class,
        kind: LinkErrorKind::StorageTooSmall {
            storage,
            needed,
            found,
        },
    }
}

#[test]
fn error_names_the_part_of_storage_that_is_too_small() {
    for (size, error) in [
        (
            ProgramSize { ops: 1, ..SIZE },
            too_small(Storage::Ops, OPS, 1),
        ),
        (
            ProgramSize { places: 2, ..SIZE },
            too_small(Storage::Places, 16, 2),
        ),
        (
            ProgramSize { marks: 67, ..SIZE },
            too_small(Storage::Marks, 68, 67),
        ),
        (
            ProgramSize { methods: 1, ..SIZE },
            too_small(Storage::Methods, 2, 1),
        ),
        (
            ProgramSize { fields: 0, ..SIZE },
            too_small(Storage::Fields, 1, 0),
        ),
        (
            ProgramSize {
                constants: 15,
                ..SIZE
            },
            too_small(Storage::Constants, 16, 15),
        ),
    ] {
        link_in(size, |program| {
            assert_eq!(program.unwrap_err(), error);
            assert_eq!(error.kind.code(), "limit/program-storage");
        });
    }
    let one_less = |needed: ProgramSize| ProgramSize {
        switches: needed.switches - 1,
        ..needed
    };
    link_class_in(CONTROL, one_less, |program| {
        let LinkErrorKind::StorageTooSmall {
            storage: Storage::Switches,
            needed,
            found,
        } = program.unwrap_err().kind
        else {
            panic!("expected too few rows of switches");
        };
        assert_eq!(found, needed - 1);
    });
}
