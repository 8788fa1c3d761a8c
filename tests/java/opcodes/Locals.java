/** Locals of every slot number, ints and arrays, parameters included. */
class Locals {
    static int ints(int a, int b) {
        int c = a + b, d = b - c, e = c ^ d, f = d + e, g = e * 3, h = f - g;
        a += h;
        b -= g;
        c = a;
        d = b;
        return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
    }

    static int arrays(int x) {
        int[] a = {x}, b = {x + 1}, c = {x + 2}, d = {x + 3}, e = {x + 4}, f = {x + 5};
        int[] held = a;
        a = f;
        b = e;
        c = d;
        d = c;
        e = b;
        f = held;
        return same(a)[0] + b[0] * 2 + c[0] * 3 + d[0] * 4 + e[0] * 5 + f[0] * 6;
    }

    static int[] same(int[] array) {
        return array;
    }
}
