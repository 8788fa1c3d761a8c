/** Values put through every kind of storage, and what is left of them. */
class Storage {
    static final int CONSTANT = 70000;
    static final byte SMALL = -3;
    static final boolean YES = true;
    final int ignored = 9;

    static byte staticByte;
    static short staticShort;
    static boolean staticBoolean;
    static int staticInt;
    byte ownByte;
    short ownShort;
    boolean ownBoolean;
    int ownInt;
    static int[] kept;
    int[] ownKept;
    static Storage self;

    // Parameters are not narrowed, so each of these receives a whole int from the test.
    static int parameter(byte value) { return value; }
    static byte returnByte(byte value) { return value; }
    static short returnShort(short value) { return value; }
    static boolean returnBoolean(boolean value) { return value; }
    static int throughStaticByte(byte value) { staticByte = value; return staticByte; }
    static int throughStaticShort(short value) { staticShort = value; return staticShort; }
    static boolean throughStaticBoolean(boolean value) { staticBoolean = value; return staticBoolean; }
    static int throughStaticInt(int value) { staticInt = value; return staticInt; }
    int throughOwnByte(byte value) { ownByte = value; return ownByte; }
    int throughOwnShort(short value) { ownShort = value; return ownShort; }
    boolean throughOwnBoolean(boolean value) { ownBoolean = value; return ownBoolean; }
    int throughOwnInt(int value) { ownInt = value; return ownInt; }
    static int throughBytes(byte value) { byte[] a = new byte[2]; a[1] = value; return a[1]; }
    static int throughShorts(short value) { short[] a = new short[2]; a[1] = value; return a[1]; }
    static int throughInts(int value) { int[] a = new int[2]; a[1] = value; return a[1]; }
    static int throughBooleans(boolean value) { boolean[] a = new boolean[2]; a[1] = value; return a[1] ? 1 : 0; }

    static int countStatic(int from) { staticInt = from; staticInt += 7; return staticInt; }
    static int countByte(byte from) { staticByte = from; staticByte += 7; return staticByte; }
    static int useThenCountStatic(int from) { staticInt = from; int used = staticInt++; return used ^ staticInt; }
    int countOwn(int from) { ownInt = from; ownInt -= 7; return ownInt; }
    static int constants() { staticByte = -128; staticShort = 300; staticBoolean = true; staticInt = 70000; return staticByte + staticShort + staticInt; }

    static int nullField() { Storage none = null; return none.ownInt; }
    static void nullStore() { Storage none = null; none.ownInt = 1; }
    int keepSelf() { self = this; return self == this && self != null ? self.throughOwnInt(5) : 0; }

    static void keep() { kept = new int[4]; }
    void keepOwn() { ownKept = new int[4]; }
    static void keepNothing() { kept = null; }
    static void keepAgain() { kept = kept; }
    static int keptLength() { return kept.length; }
    static int keptFirst() { return kept[0]++; }
}
