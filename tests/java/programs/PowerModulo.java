/** Modular powers and inverses. */
class PowerModulo {
    static int power(int base, int exponent, int modulus) {
        int result = 1 % modulus;
        base %= modulus;
        while (exponent > 0) {
            if (exponent % 2 == 1) result = result * base % modulus;
            base = base * base % modulus;
            exponent /= 2;
        }
        return result;
    }

    static int inverse(int a, int modulus) {
        int t = 0, next = 1, r = modulus, rest = a;
        while (rest != 0) {
            int quotient = r / rest;
            int held = t - quotient * next;
            t = next;
            next = held;
            held = r - quotient * rest;
            r = rest;
            rest = held;
        }
        return r > 1 ? -1 : t < 0 ? t + modulus : t;
    }
}
