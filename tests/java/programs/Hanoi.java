/** The towers of Hanoi; pegs are three bit sets of discs. */
class Hanoi {
    private static int[] pegs = new int[3];
    private static int moves;

    static int run(int discs) {
        moves = 0;
        pegs[0] = (1 << discs) - 1;
        pegs[1] = pegs[2] = 0;
        move(discs, 0, 2, 1);
        return pegs[2] << 16 | moves;
    }

    private static void move(int discs, int from, int to, int spare) {
        if (discs == 0) return;
        move(discs - 1, from, spare, to);
        int disc = 1 << (discs - 1);
        pegs[from] &= ~disc;
        pegs[to] |= disc;
        moves++;
        move(discs - 1, spare, to, from);
    }
}
