/** An interface. */
interface InterfaceOnly { // here
    int doRx(int length, int channel);
}
