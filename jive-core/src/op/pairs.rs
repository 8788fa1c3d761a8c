//! The pairs of consecutive ops that one function executes. A pair replaces the first op and saves the jump to the
//! second. The second op stays in place, because branches may lead to it.
//!
//! Any pair may be in the list: a pair that is missing costs a jump, and one that is never executed costs the code of its
//! function. These are the pairs that 30 programs execute, seven applets and 23 programs of `tests/java/class`, none of
//! which is measured by a benchmark. `cargo run -p tests --bin trust -- pairs 4` prints which pairs the random programs of
//! the tests execute.

/// Calls a macro with the table of ops, followed by the pairs.
macro_rules! with_pairs {
    ($to:ident! { $($table:tt)* }) => {
        $to! {
            $($table)*
            pairs {
                Add: AddConstTaken AddTaken AndConst AndConstTaken CountGoto CountLess CountLessConst CountNotLessConst
                    FieldLength Goto IfLessNearTaken IfNotLessConstTaken IfNotLessTaken LoadFieldByteAtTaken
                    LoadFieldIntAtTaken LoadIntAtTaken Move OrConst ReturnValue ShiftRightUnsignedConstTaken;
                AddConst: AddConst AddConstTaken AddTaken AndConst AndConstTaken BackLessConst Call Const CountLess
                    CountLessConst Goto IfLessTaken IfNotEqualConst IfNotLessConstTaken IfNotLessTaken
                    IfNotLessThanTaken LoadFieldByte LoadFieldByteAtTaken LoadIntAtTaken LoopLessConst LoopLessNear
                    LoopNotLess Move MultiplyConstTaken MultiplyTaken NarrowTaken PostIncrement PutFieldTaken RejectNull
                    ReturnValueTaken ShiftLeftByTaken ShiftRightUnsignedByTaken ShiftRightUnsignedConst SubtractTaken;
                AddConstTaken: AddTaken AndConstTaken Call Const CountLess GetField LoadByteUnsignedAtTaken
                    LoadIntAtTaken Move MultiplyConst NarrowTaken NewArray PostIncrement PutFieldTaken
                    ShiftRightUnsignedConstTaken StoreFieldByteTaken StoreFieldIntTaken StoreFieldShortTaken
                    StoreIntTaken;
                AddTaken: Add AddConstTaken AddTaken AndConstTaken Const CountLess CountLessConst GetField
                    IfLessNearTaken IfNotLess IfNotLessThanTaken LoadFieldByteAtTaken LoadFieldInt LoadInt
                    LoadIntAtTaken Move PutFieldTaken ReturnValueTaken ShiftRightUnsignedConst StoreFieldByteTaken
                    StoreFieldIntTaken StoreInt StoreIntTaken;
                AddToField: GetField Goto Move Return ReturnValue;
                And: And StoreInt XorConst XorTaken;
                AndConst: AddTaken Const GetField IfEqualConstTaken IfLessConstTaken IfNotEqualConstTaken
                    IfNotEqualNearTaken Move MultiplyConstTaken NegateTaken OrConstTaken ReturnValueTaken
                    ShiftLeftConstTaken ShiftRightUnsignedByTaken StoreIntTaken;
                AndConstTaken: AddConstTaken AddTaken AndConst Call CountLessConst GetField Goto IfLessConstTaken
                    IfNotEqualConstTaken LoadByte LoadByteAtTaken Move MultiplyConstTaken OrTaken RemainderTaken
                    ShiftLeft ShiftLeftConstTaken ShiftRightConstTaken ShiftRightUnsignedConst XorTaken;
                AndTaken: IfEqualConstTaken IfNotEqualConstTaken LoadFieldInt StoreFieldIntTaken XorTaken;
                ArrayLength: IfLessTaken LoadIntAtTaken;
                ArrayLengthTaken: AddConstTaken;
                BackLessConst: ShiftRightUnsignedConst;
                BackNotLess: Move;
                Const: Add AddConst AddConstTaken AndConst ArrayLength Call Const CountGoto Divide FieldLength GetField
                    Goto IfEqualTaken IfLess IfLessConst IfLessThanTaken IfNotEqualTaken IfNotLess IfNotLessConst
                    IfNotLessNear LoadFieldIntAtTaken LoadIntAtTaken Move Multiply Narrow Native NewArray Or
                    PostIncrement Remainder ReturnValue Rotate ShiftLeft StoreByte StoreByteAt StoreByteTaken
                    StoreFieldByteTaken StoreFieldInt StoreFieldIntTaken StoreFieldShortTaken StoreInt StoreIntTaken
                    SubtractTaken;
                Divide: Call Const IfEqualConst IfLessConstTaken LoopNotEqualConst LoopNotLessConst PutField;
                FieldLength: IfNotLessThanTaken;
                GetField: Add AddConst AddConstTaken AddTaken AndConstTaken Call Const Divide GetField Goto IfEqualConst
                    IfLessConst IfLessConstTaken IfLessTaken IfNotEqualConst IfNotEqualConstTaken IfNotEqualNearTaken
                    IfNotEqualTaken IfNotLess IfNotLessConstTaken IfNotLessTaken IfNotLessThanTaken LoadByteAtOfTaken
                    LoadFieldByteAtTaken Move MultiplyConstTaken MultiplyTaken PutField PutReference RejectNull
                    ReturnValueTaken Rotate ShiftRightUnsignedConstTaken StoreByteAt StoreFieldByte StoreFieldByteTaken
                    StoreFieldIntTaken SubtractOfTaken SubtractTaken XorTaken;
                IfEqualConst: AddConst AddToField Call Const Goto IfNotEqualConst Move;
                IfEqualConstTaken: AddConst Const GetField IfNotEqualNear LoadFieldByte LoadFieldInt PostIncrement;
                IfEqualNear: ReturnConst;
                IfEqualTaken: CountGoto Goto LoadFieldShort StoreFieldShort;
                IfLess: AddConst CountGoto LoadFieldInt Return ShiftLeftConst;
                IfLessConst: AddConst AndConst Const GetField Goto IfEqualConst IfLessConst LoadFieldByte LoadFieldInt
                    Move MultiplyConst PostIncrement ReturnConst StoreFieldInt;
                IfLessConstTaken: AddToField Const GetField IfLessConst IfNotLessConst LoadFieldByte;
                IfLessNear: AddConst;
                IfLessNearTaken: Const;
                IfLessTaken: Const LoadFieldInt LoadInt Native ReturnConst StoreInt;
                IfLessThanTaken: AddConst Goto IfEqualConst LoadFieldInt Remainder;
                IfNotEqualConst: Add AddConst AddToField Const GetField Goto LoadFieldByte Move Multiply MultiplyConst
                    PostIncrement PutConst Subtract;
                IfNotEqualConstTaken: AddToField Const GetField Goto IfLessConst IfNotLessConst Move PutConst
                    ReturnConst ReturnValue;
                IfNotEqualNear: PutConst StoreFieldByte;
                IfNotEqualNearTaken: AddConst;
                IfNotEqualTaken: AddConst CountGoto LoadFieldInt Move PutConst ReturnConst ReturnValue;
                IfNotLess: AddConst Call Const IfNotLess LoadFieldByte LoadFieldByteUnsigned LoadFieldInt LoadFieldShort
                    Move Multiply MultiplyConst Native PostIncrement ShiftLeftConst StoreFieldShort Subtract;
                IfNotLessConst: Add AddConst Const GetField LoadFieldInt LoadFieldShort LoadInt Move MultiplyConst Or
                    PutField ReturnValue ShiftLeftConst ShiftRightUnsignedConst;
                IfNotLessConstTaken: Add AddConst AddToField GetField LoadFieldByte Move PutField;
                IfNotLessNear: GetField IfNotEqualConst IfNotLess LoadFieldShort StoreByte;
                IfNotLessNearTaken: LoadFieldShort;
                IfNotLessTaken: Add Const CountGoto GetField PutField ReturnConst ShiftRightUnsignedConst;
                IfNotLessThanTaken: Const CountGoto GetField IfNotLessConst LoadFieldByte LoadFieldInt MultiplyConst
                    PutField ReturnConst ReturnValue;
                LoadByte: AddTaken IfNotEqualTaken LoadByte StoreByteTaken;
                LoadByteAtOfTaken: IfNotEqualConstTaken IfNotLessConst;
                LoadByteAtTaken: AddTaken ShiftLeftConstTaken XorTaken;
                LoadByteUnsignedAtTaken: OrTaken ShiftLeftConstTaken;
                LoadFieldByte: AddTaken AndConstTaken Call Goto IfEqualConstTaken IfEqualTaken IfLessConstTaken
                    IfNotEqualConstTaken IfNotEqualTaken IfNotLessConst IfNotLessConstTaken LoadFieldByte
                    LoopNotLessConst Move NegateTaken ShiftLeftConst ShiftLeftConstTaken StoreByte StoreFieldByteTaken;
                LoadFieldByteAtTaken: AddConst AndConstTaken Goto IfEqualConstTaken IfLessConstTaken
                    IfNotEqualConstTaken IfNotLessConstTaken LoadFieldByte LoadIntAtTaken Move StoreFieldByteTaken
                    StoreIntTaken;
                LoadFieldByteUnsigned: AddConst IfNotEqualConstTaken LoadFieldByteUnsigned OrTaken ShiftLeftConstTaken
                    XorTaken;
                LoadFieldByteUnsignedAtTaken: Const;
                LoadFieldInt: AddConstTaken AddTaken AndTaken GetField IfEqualConstTaken IfEqualTaken IfLessTaken
                    IfLessThanTaken IfNotEqualConstTaken IfNotEqualTaken IfNotLessTaken IfNotLessThanTaken LoadFieldInt
                    Move PostIncrement ReturnValueTaken ShiftRightUnsignedConst StoreFieldIntTaken StoreIntTaken
                    SubtractOfTaken;
                LoadFieldIntAtTaken: AddConstTaken AndConst Move ReturnValueTaken StoreFieldIntTaken;
                LoadFieldShort: AddConstTaken AddTaken Goto IfEqualTaken LoadFieldShortAtTaken Move;
                LoadFieldShortAtTaken: IfNotLessNearTaken OrConstTaken StoreFieldShortTaken;
                LoadInt: AddConstTaken AddTaken Const LoadByte LoadInt MultiplyTaken ReturnValueTaken
                    ShiftLeftConstTaken ShiftRightUnsignedConstTaken;
                LoadIntAtTaken: AddTaken Const IfEqualConstTaken LoadInt Multiply MultiplyTaken ReturnValueTaken
                    StoreIntTaken;
                LoadShort: CountLess IfNotEqualConstTaken;
                Move: Add AddConst AndConst ArrayLengthTaken Call Const CountGoto CountLess CountNotLessConst GetField
                    Goto IfEqualConst IfEqualConstTaken IfEqualNear IfEqualTaken IfLessConst IfLessConstTaken
                    IfNotEqualConst IfNotEqualConstTaken IfNotLessConst IfNotLessConstTaken IfNotLessTaken LoadByte
                    LoadFieldInt LoadFieldIntAtTaken LoadFieldShortAtTaken LoadInt LoadShort LoopNotLessConst Move
                    MultiplyConst Native PostIncrement RejectNull ReturnValue Rotate ShiftLeftConst StoreFieldInt;
                Multiply: AddConstTaken AddTaken Goto IfLessThanTaken IfNotLessThanTaken MultiplyTaken NewArray;
                MultiplyConst: AddConst AddConstTaken AddTaken AndConst Const LoadByteAtTaken LoadFieldByte LoadFieldInt
                    LoadIntAtTaken Move ShiftLeftConstTaken ShiftRight ShiftRightUnsignedConstTaken StoreByteAt XorTaken;
                MultiplyConstTaken: Add AddConst AddConstTaken AddTaken AndConst Const GetField LoadFieldByte
                    LoadFieldShort ReturnValueTaken ShiftRightUnsignedByTaken ShiftRightUnsignedConstTaken;
                MultiplyTaken: AddTaken AndConstTaken Const ReturnValue ShiftRightConstTaken
                    ShiftRightUnsignedConstTaken StoreByte StoreIntTaken;
                Narrow: Narrow PutFieldTaken ReturnValueTaken;
                NarrowTaken: Call LoopLess PutFieldTaken ReturnValueTaken;
                NegateTaken: Goto XorTaken;
                NewArray: Const IfLessConst Multiply PutReference;
                Or: Add CountLessConst IfNotEqualConstTaken;
                OrConst: Goto StoreByte StoreFieldByteTaken;
                OrConstTaken: PostIncrement StoreFieldByteTaken;
                OrTaken: AddConst CountLess Goto IfNotLessTaken LoadFieldByte LoadFieldByteUnsigned LoopNotLess Move
                    MultiplyConst MultiplyConstTaken ReturnValueTaken StoreFieldIntTaken StoreIntTaken;
                PostIncrement: AddConstTaken AndConst Const CountLess GetField IfLessConstTaken LoadFieldByte
                    LoadFieldByteAtTaken LoadFieldByteUnsignedAtTaken LoadFieldInt Move PostIncrement ShiftRightConst
                    StoreFieldByte StoreFieldInt;
                PutConst: Const GetField Goto PutConst PutReference Return;
                PutField: Const GetField Goto LoadFieldByte Move PutConst PutField Return StoreFieldByte StoreShort;
                PutFieldTaken: AddToField GetField Goto PutConst Return ReturnConst;
                PutReference: Const Goto Native PutConst PutReference Return;
                RejectNull: Call GetField PutField;
                Remainder: AddConstTaken IfNotEqualConstTaken LoadFieldByteAtTaken StoreByteTaken;
                RemainderTaken: LoadFieldShortAtTaken NarrowTaken ReturnValueTaken;
                Rotate: AddConst RejectNull StoreInt StoreShort;
                ShiftLeft: AndTaken OrTaken XorConstTaken;
                ShiftLeftByTaken: OrTaken;
                ShiftLeftConst: Add AddConst Call LoopLessConst OrTaken ShiftRightConst ShiftRightUnsignedConst XorTaken;
                ShiftLeftConstTaken: LoadFieldByteUnsigned MultiplyConst OrTaken ShiftRightUnsignedConst XorTaken;
                ShiftRight: AndConstTaken;
                ShiftRightConst: LoadFieldIntAtTaken StoreFieldByteTaken XorTaken;
                ShiftRightConstTaken: GetField LoadFieldIntAtTaken Move;
                ShiftRightUnsigned: AndConstTaken Const;
                ShiftRightUnsignedByTaken: AndConstTaken GetField Move StoreFieldByteTaken;
                ShiftRightUnsignedConst: AddConstTaken AddTaken AndConst AndConstTaken Call Goto IfLessConst IfLessNear
                    LoadByte Move MultiplyTaken OrTaken ShiftRightUnsignedConst StoreFieldByteTaken;
                ShiftRightUnsignedConstTaken: AndConst AndConstTaken Const LoadFieldIntAtTaken RemainderTaken
                    ReturnValueTaken ShiftRightUnsignedConst StoreByteAt XorTaken;
                StoreByte: AddConst Const CountGoto CountLess CountLessConst IfNotEqualConst;
                StoreByteAt: Const GetField MultiplyConst PutReference;
                StoreByteTaken: Const MultiplyConst StoreByte;
                StoreFieldByte: Call Const CountLess Goto IfNotLessConst PutField Return ReturnValue;
                StoreFieldByteTaken: Add AddConst CountLess CountLessConst CountNotLessConst GetField Goto LoopLess
                    LoopNotLess PostIncrement Return ShiftRightUnsignedConst StoreFieldByte;
                StoreFieldInt: AddToField BackNotLess Const CountLess GetField Move Multiply StoreFieldInt;
                StoreFieldIntTaken: CountLess CountLessConst GetField Goto LoadFieldInt Move PostIncrement ReturnValue
                    StoreFieldInt StoreFieldShort;
                StoreFieldShort: AddConst Const GetField ShiftRightUnsigned;
                StoreFieldShortTaken: AddToField CountGoto LoadFieldShort;
                StoreInt: AddConst Const CountGoto CountLess Move PostIncrement Return;
                StoreIntTaken: Const CountGoto CountLess CountLessConst Goto Move PutReference;
                StoreShort: LoadShort StoreFieldShort;
                Subtract: Const GetField Goto IfNotLessTaken;
                SubtractOfTaken: AndConstTaken IfLessConstTaken MultiplyConstTaken ShiftRightConstTaken XorTaken;
                SubtractTaken: Const IfNotLessThanTaken MultiplyConstTaken NarrowTaken ShiftLeftByTaken StoreByte;
                Xor: And LoadInt Move ShiftLeftConstTaken ShiftRightUnsignedConstTaken Xor;
                XorConst: AndTaken;
                XorConstTaken: AndTaken;
                XorTaken: Add AddTaken And AndConstTaken Call Const GetField IfNotEqualTaken LoadFieldByteUnsigned
                    LoadInt Move MultiplyConstTaken OrTaken ReturnValueTaken ShiftLeftConstTaken
                    ShiftRightUnsignedConstTaken StoreFieldIntTaken;
            }
        }
    };
}

pub(crate) use with_pairs;
