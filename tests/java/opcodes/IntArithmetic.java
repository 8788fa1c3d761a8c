/** One operator a method, named after its opcode. */
class IntArithmetic {
    static int iadd(int a, int b) { return a + b; }
    static int isub(int a, int b) { return a - b; }
    static int imul(int a, int b) { return a * b; }
    static int idiv(int a, int b) { return a / b; }
    static int irem(int a, int b) { return a % b; }
    static int ineg(int a) { return -a; }
    static int ishl(int a, int b) { return a << b; }
    static int ishr(int a, int b) { return a >> b; }
    static int iushr(int a, int b) { return a >>> b; }
    static int iand(int a, int b) { return a & b; }
    static int ior(int a, int b) { return a | b; }
    static int ixor(int a, int b) { return a ^ b; }
    static int i2b(int a) { return (byte) a; }
    static int i2s(int a) { return (short) a; }

    static int iinc(int a) {
        a++;
        a += 127;
        a -= 128;
        a--;
        return a;
    }

    static int wideIinc(int a) {
        a += 128;
        a += 32767;
        a -= 129;
        a -= 32768;
        return a;
    }
}
