/**
 * Constants of every kind. The instance ones have a {@code ConstantValue} too, which counts for
 * static fields only; their values come from the constructor.
 */
class ConstantValues {
    static final boolean YES = true;
    static final byte SMALL = -128;
    static final short MEDIUM = -32768;
    static final int LARGE = 0x80000000;
    final int own = 123456;
    final byte ownSmall = 127;
    final boolean ownFlag = true;
    static ConstantValues self;
    static int seenEarly;

    ConstantValues() {
        seenEarly = own + ownSmall + (ownFlag ? 1 : 0);
        self = this;
    }

    static int sum() {
        return self.own() + SMALL + MEDIUM + LARGE;
    }

    private int own() {
        return own + ownSmall + (YES & ownFlag ? 1 : 0);
    }

    static int early() {
        return seenEarly;
    }
}
