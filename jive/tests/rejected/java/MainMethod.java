/** A program. */
class MainMethod { // here
    static int total;

    static void main() {
        total++;
    }
}
