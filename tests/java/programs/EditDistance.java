/** Levenshtein's distance between the digits of two numbers. */
class EditDistance {
    static int run(int a, int b) {
        byte[] left = digits(a);
        byte[] right = digits(b);
        int[] row = new int[right.length + 1];
        for (int j = 0; j <= right.length; j++) row[j] = j;
        for (int i = 1; i <= left.length; i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= right.length; j++) {
                int above = row[j];
                int change = left[i - 1] == right[j - 1] ? diagonal : diagonal + 1;
                row[j] = least(change, above + 1, row[j - 1] + 1);
                diagonal = above;
            }
        }
        return row[right.length];
    }

    static int least(int a, int b, int c) {
        return a < b ? a < c ? a : c : b < c ? b : c;
    }

    static byte[] digits(int n) {
        int count = 1;
        for (int rest = n / 10; rest != 0; rest /= 10) count++;
        byte[] digits = new byte[count];
        while (count > 0) {
            digits[--count] = (byte) (n % 10);
            n /= 10;
        }
        return digits;
    }
}
