import java.nio.ByteBuffer;

/** Reads a number with the Java library. */
class ByteOrder {
    static byte[] RxBuf;

    static int doTx(int length, int channel, int offset) {
        return 0;
    }

    static int doRx(int length, int channel) {
        return ByteBuffer.wrap(RxBuf).getInt(4); // here
    }
}
