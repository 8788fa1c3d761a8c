/** Binary search; a miss gives the complement of the place to insert. */
class BinarySearch {
    static final int[] SQUARES = squares(40);

    static int[] squares(int count) {
        int[] squares = new int[count];
        for (int i = 0; i < count; i++) squares[i] = i * i - 100;
        return squares;
    }

    static int run(int wanted) {
        int low = 0;
        int high = SQUARES.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (SQUARES[middle] < wanted) low = middle + 1;
            else if (SQUARES[middle] > wanted) high = middle - 1;
            else return middle;
        }
        return ~low;
    }
}
