/** Two names for one array, arrays passed and returned, arrays in fields. */
class Aliases {
    static int[] kept = {1, 2, 3};

    static int run(int value) {
        int[] alias = kept;
        alias[0] = value;
        int[] copy = copy(kept);
        copy[1] = value;
        int[] same = longest(alias, copy);
        same[2] += 1;
        return kept[0] + 10 * kept[1] + 100 * kept[2] + 1000 * copy[2] + (same == alias ? 10000 : 0) + (same != copy ? 20000 : 0);
    }

    static int[] copy(int[] from) {
        int[] to = new int[from.length + 1];
        for (int i = 0; i < from.length; i++) to[i] = from[i];
        return to;
    }

    static int[] longest(int[] a, int[] b) {
        return a.length > b.length ? a : b;
    }

    static boolean isNull(boolean really) {
        byte[] bytes = really ? null : new byte[0];
        return bytes == null;
    }

    /** A merge of two kinds of array may be compared with null. */
    static boolean mergedIsNull(int which) {
        Object merged = which == 0 ? new byte[1] : which == 1 ? (Object) new int[1] : null;
        return merged == null;
    }
}
