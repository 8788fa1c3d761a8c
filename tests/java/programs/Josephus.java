/** The last one standing in a circle, by a linked list in an array. */
class Josephus {
    static int run(int people, int step) {
        int[] next = new int[people];
        for (int i = 0; i < people; i++) next[i] = (i + 1) % people;
        int before = people - 1;
        while (next[before] != before) {
            for (int i = 1; i < step; i++) before = next[before];
            next[before] = next[next[before]];
        }
        return before;
    }
}
