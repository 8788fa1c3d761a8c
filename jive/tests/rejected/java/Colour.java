/** An enumeration. */
enum Colour { // here
    RED,
    GREEN
}
