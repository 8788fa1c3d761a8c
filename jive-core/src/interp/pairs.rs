//! Ops that are run together with the next one, where that is of a certain kind.
//!
//! Each does what both do, and saves the way from one to the other. A pair stands in the place of the first; the
//! second stays behind it, for those who come from elsewhere. Which there are is decided by the programs of
//! `docs/op-frequencies.md`, which has how often each pair is executed.

/// Hands the table of ops on to a macro, with the pairs behind it.
macro_rules! with_pairs {
    ($to:ident! { $($table:tt)* }) => {
        $to! {
            $($table)*
            pairs {
                AddThenAndConstTaken: Add AndConstTaken;
                AddThenCountLess: Add CountLess;
                AddThenIfNotLessTaken: Add IfNotLessTaken;
                AddConstThenAndConstTaken: AddConst AndConstTaken;
                AddConstThenCall: AddConst Call;
                AddConstThenLoopLessConst: AddConst LoopLessConst;
                AddConstThenMove: AddConst Move;
                AddConstThenMultiplyConstTaken: AddConst MultiplyConstTaken;
                AddConstThenMultiplyTaken: AddConst MultiplyTaken;
                AddConstThenNarrowTaken: AddConst NarrowTaken;
                AddConstTakenThenGetField: AddConstTaken GetField;
                AddConstTakenThenMove: AddConstTaken Move;
                AddTakenThenAndConstTaken: AddTaken AndConstTaken;
                AddTakenThenCountLess: AddTaken CountLess;
                AddToFieldThenGoto: AddToField Goto;
                AndConstThenAddTaken: AndConst AddTaken;
                AndConstThenIfEqualConstTaken: AndConst IfEqualConstTaken;
                AndConstThenIfNotEqualConstTaken: AndConst IfNotEqualConstTaken;
                AndConstThenReturnValueTaken: AndConst ReturnValueTaken;
                AndConstTakenThenAddTaken: AndConstTaken AddTaken;
                AndConstTakenThenCall: AndConstTaken Call;
                ConstThenCall: Const Call;
                ConstThenConst: Const Const;
                ConstThenDivide: Const Divide;
                ConstThenGoto: Const Goto;
                ConstThenIfNotLess: Const IfNotLess;
                ConstThenIfNotLessConst: Const IfNotLessConst;
                ConstThenMove: Const Move;
                ConstThenRemainder: Const Remainder;
                ConstThenShiftLeft: Const ShiftLeft;
                ConstThenStoreFieldByteTaken: Const StoreFieldByteTaken;
                ConstThenStoreFieldInt: Const StoreFieldInt;
                ConstThenSubtractTaken: Const SubtractTaken;
                FieldLengthThenIfNotLessThanTaken: FieldLength IfNotLessThanTaken;
                GetFieldThenAddTaken: GetField AddTaken;
                GetFieldThenConst: GetField Const;
                GetFieldThenGetField: GetField GetField;
                GetFieldThenIfLessTaken: GetField IfLessTaken;
                GetFieldThenIfNotEqualConstTaken: GetField IfNotEqualConstTaken;
                GetFieldThenIfNotLessTaken: GetField IfNotLessTaken;
                GetFieldThenIfNotLessThanTaken: GetField IfNotLessThanTaken;
                GetFieldThenLoadByteAtOfTaken: GetField LoadByteAtOfTaken;
                GetFieldThenMove: GetField Move;
                GetFieldThenReturnValueTaken: GetField ReturnValueTaken;
                GetFieldThenStoreFieldByteTaken: GetField StoreFieldByteTaken;
                GetFieldThenSubtractOfTaken: GetField SubtractOfTaken;
                IfEqualConstTakenThenAddConst: IfEqualConstTaken AddConst;
                IfLessConstThenAddConst: IfLessConst AddConst;
                IfLessConstTakenThenAddToField: IfLessConstTaken AddToField;
                IfNotLessThenIfNotLess: IfNotLess IfNotLess;
                IfNotLessThenPostIncrement: IfNotLess PostIncrement;
                IfNotLessConstThenAdd: IfNotLessConst Add;
                LoadByteThenLoadByte: LoadByte LoadByte;
                LoadFieldByteThenIfEqualConstTaken: LoadFieldByte IfEqualConstTaken;
                LoadFieldByteThenIfLessConstTaken: LoadFieldByte IfLessConstTaken;
                LoadFieldByteThenLoadFieldByte: LoadFieldByte LoadFieldByte;
                LoadFieldByteUnsignedThenOrTaken: LoadFieldByteUnsigned OrTaken;
                LoadFieldByteUnsignedThenShiftLeftConstTaken: LoadFieldByteUnsigned ShiftLeftConstTaken;
                LoadFieldIntThenIfEqualConstTaken: LoadFieldInt IfEqualConstTaken;
                LoadFieldIntThenIfNotEqualTaken: LoadFieldInt IfNotEqualTaken;
                LoadFieldIntThenLoadFieldInt: LoadFieldInt LoadFieldInt;
                LoadFieldIntThenReturnValueTaken: LoadFieldInt ReturnValueTaken;
                LoadFieldShortThenGoto: LoadFieldShort Goto;
                LoadIntThenMultiplyTaken: LoadInt MultiplyTaken;
                LoadIntAtTakenThenAddTaken: LoadIntAtTaken AddTaken;
                MoveThenCall: Move Call;
                MoveThenGoto: Move Goto;
                MoveThenIfEqualConstTaken: Move IfEqualConstTaken;
                MoveThenIfNotEqualConstTaken: Move IfNotEqualConstTaken;
                MoveThenIfNotLessConst: Move IfNotLessConst;
                MoveThenMove: Move Move;
                MoveThenNative: Move Native;
                MultiplyConstThenAddConstTaken: MultiplyConst AddConstTaken;
                MultiplyConstThenAddTaken: MultiplyConst AddTaken;
                MultiplyConstThenLoadFieldByte: MultiplyConst LoadFieldByte;
                MultiplyConstThenLoadFieldInt: MultiplyConst LoadFieldInt;
                MultiplyConstTakenThenAddConstTaken: MultiplyConstTaken AddConstTaken;
                MultiplyConstTakenThenShiftRightUnsignedByTaken: MultiplyConstTaken ShiftRightUnsignedByTaken;
                NarrowThenReturnValueTaken: Narrow ReturnValueTaken;
                PostIncrementThenAndConst: PostIncrement AndConst;
                PostIncrementThenLoadFieldByte: PostIncrement LoadFieldByte;
                PostIncrementThenLoadFieldByteAtTaken: PostIncrement LoadFieldByteAtTaken;
                PostIncrementThenStoreFieldByte: PostIncrement StoreFieldByte;
                PutFieldTakenThenGetField: PutFieldTaken GetField;
                PutFieldTakenThenReturnConst: PutFieldTaken ReturnConst;
                RejectNullThenCall: RejectNull Call;
                ShiftLeftThenOrTaken: ShiftLeft OrTaken;
                ShiftLeftConstThenXorTaken: ShiftLeftConst XorTaken;
                ShiftLeftConstTakenThenOrTaken: ShiftLeftConstTaken OrTaken;
                ShiftLeftConstTakenThenShiftRightUnsignedConst: ShiftLeftConstTaken ShiftRightUnsignedConst;
                ShiftLeftConstTakenThenXorTaken: ShiftLeftConstTaken XorTaken;
                ShiftRightConstThenStoreFieldByteTaken: ShiftRightConst StoreFieldByteTaken;
                ShiftRightUnsignedConstThenAndConstTaken: ShiftRightUnsignedConst AndConstTaken;
                ShiftRightUnsignedConstTakenThenAndConstTaken: ShiftRightUnsignedConstTaken AndConstTaken;
                ShiftRightUnsignedConstTakenThenRemainderTaken: ShiftRightUnsignedConstTaken RemainderTaken;
                ShiftRightUnsignedConstTakenThenXorTaken: ShiftRightUnsignedConstTaken XorTaken;
                StoreByteThenCountLess: StoreByte CountLess;
                StoreFieldByteThenReturn: StoreFieldByte Return;
                StoreFieldByteTakenThenAddConst: StoreFieldByteTaken AddConst;
                StoreFieldByteTakenThenCountLess: StoreFieldByteTaken CountLess;
                StoreFieldByteTakenThenCountNotLessConst: StoreFieldByteTaken CountNotLessConst;
                StoreFieldIntTakenThenLoadFieldInt: StoreFieldIntTaken LoadFieldInt;
                StoreIntThenMove: StoreInt Move;
                StoreIntTakenThenCountGoto: StoreIntTaken CountGoto;
            }
        }
    };
}
