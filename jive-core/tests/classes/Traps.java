/** Every way to trap, with values that differ from each other. Arrays in fields and constant indices have ops of their own. */
class Traps {
    static byte[] bytes = new byte[3];
    static short[] shorts = new short[5];
    static int[] ints = new int[7];
    static int[] kept;
    static int[] none;

    static int loadByte(int i) { return bytes[i]; }
    static int loadByteUnsigned(int i) { return bytes[i] & 0xff; }
    static int loadShort(int i) { return shorts[i]; }
    static int loadInt(int i) { return ints[i]; }
    static int loadBehind(int i) { return ints[i + 2]; }
    static int loadByteAt() { return bytes[3]; }
    static int loadByteUnsignedAt() { return bytes[4] & 0xff; }
    static int loadSum(int i) { int[] a = ints; int b = i * 3; return a[b]; }
    static void storeByte(int i) { bytes[i] = 1; }
    static void storeShort(int i) { shorts[i] = 1; }
    static void storeInt(int i) { ints[i] = 1; }
    static void storeBehind(int i) { byte[] a = bytes; a[i + 1] = 1; }
    static void storeByteAt() { bytes[9] = 1; }
    static int loadOfCall(int i) { short[] a = new short[11]; return a[i]; }
    static int loop(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += bytes[i]; return sum; }

    static int divide(int a, int b) { return a / b; }
    static int remainder(int a, int b) { return a % b; }
    static int divideSum(int a, int b) { return (a + b) / (a - b); }

    static int newInts(int n) { return new int[n].length; }
    static int newBytes(int n) { int[] before = new int[2]; return new byte[n].length + before.length; }
    static void keep(int n) { kept = new int[n]; }
    static int nullLoad(int i) { return none[i]; }
    static int nullLength() { return none.length; }

    static int inner(int i) { return loadInt(i) + 1; }
    int middle(int i) { int[] a = new int[1]; return a[0] + inner(i); }
    int outer(int i) { return middle(i + 1) * 2; }
    static void down(int n) { if (n > 1) down(n - 1); }
    static void forever() { while (true) { } }
}
