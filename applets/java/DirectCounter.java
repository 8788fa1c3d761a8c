import static unet.Nic.*;

/**
 * Counts packets by source channel on a NIC that receives directly, and sends the host the counts
 * instead of the packets. The buffer of each packet goes back to the free queue.
 *
 * <p>For each packet, the host receives a message of {@link #REPORT_LENGTH} bytes from the same
 * channel: the number of packets from it so far, as a big-endian {@code int}. {@code doRx} also
 * returns the count, so that the trace shows it. Channel numbers are arbitrary, so the first packet
 * from a channel allocates the next row of a table. When the table is full, all further channels
 * share the last row.
 */
public class DirectCounter {
    /** Number of rows of the table. */
    static final int ROWS = 16;

    /** Length of a report to the host, in bytes. */
    static final int REPORT_LENGTH = 4;

    /** Longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** {@code channels[row]} is the source channel of the row. */
    private final int[] channels;

    /** {@code counts[row]} is the number of packets from that channel. */
    private final int[] counts;

    /** Number of rows in use. */
    private int rows;

    private final byte[] report;
    private final byte[] txBuf;

    /** Allocates all arrays. They live as long as the applet. */
    DirectCounter() {
        channels = new int[ROWS];
        counts = new int[ROWS];
        report = newAlignedArray(REPORT_LENGTH);
        txBuf = newAlignedArray(MAX_PACKET);
    }

    /** Sends the user's message unchanged. */
    int doTx(int length, int channel, int offset) {
        doHtoLDMA(txBuf, 0, offset, length);
        txPush(txBuf, 0, channel, length);
        return 0;
    }

    /** Counts the packet, reports the count to the host, and returns it. */
    int doRx(int length, int channel) {
        int row = row(channel);
        counts[row]++;
        sendReport(channel, counts[row]);
        return counts[row];
    }

    /** Returns the row of {@code channel}. Allocates a row if the channel has none. */
    private int row(int channel) {
        int row = 0;
        while (row < rows && channels[row] != channel) {
            row++;
        }
        if (row < rows) {
            return row;
        }
        if (rows == ROWS) {
            return ROWS - 1;
        }
        channels[row] = channel;
        rows++;
        return row;
    }

    /** Sends {@code count} to the host in a receive descriptor. */
    private void sendReport(int channel, int count) {
        for (int i = 0; i < REPORT_LENGTH; i++) {
            report[i] = (byte) (count >>> (8 * (REPORT_LENGTH - 1 - i)));
        }
        dmaRxdPayload(report, channel, REPORT_LENGTH);
    }
}
