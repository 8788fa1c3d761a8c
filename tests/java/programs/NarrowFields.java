/** Values put through byte, short and boolean fields, static and of the instance. */
class NarrowFields {
    static byte b;
    static short s;
    static boolean z;
    byte ownB;
    short ownS;
    boolean ownZ;
    static NarrowFields self;

    NarrowFields() {
        self = this;
    }

    static int statics(int value) {
        b = (byte) value;
        s = (short) (value * 3);
        z = value > 0;
        b += 100;
        s *= 7;
        z ^= true;
        b++;
        --s;
        return b * 65536 + s + (z ? 1 : 0);
    }

    static int instance(int value) {
        self.ownB = (byte) value;
        self.ownS = (short) (value * 3);
        self.ownZ = value < 0;
        self.ownB -= 100;
        self.ownS <<= 3;
        self.ownZ |= (value & 4) != 0;
        self.ownB--;
        ++self.ownS;
        return self.ownB * 65536 + self.ownS + (self.ownZ ? 1 : 0);
    }
}
