import static unet.Nic.*;

/**
 * Counts packets by source channel, and hands the host the counts in place of the packets.
 *
 * <p>For each packet the host receives a message of {@link #REPORT_LENGTH} bytes from the same
 * channel: how many packets have come on it, as a big-endian {@code int}. The count is also what
 * {@code doRx} returns, so that the trace shows it. Channel numbers may be any, so a channel gets
 * the next row of a table when its first packet comes; all channels that find the table full share
 * its last row.
 */
public class Counter {
    /** Rows of the table. */
    static final int ROWS = 16;

    /** Length of a report to the host, in bytes. */
    static final int REPORT_LENGTH = 4;

    /** The longest packet of the NIC, in bytes. */
    static final int MAX_PACKET = 9216;

    /** The arrived packet; the NIC sets this field. The counter never looks inside. */
    byte[] RxBuf;

    /** {@code channels[row]} is the source channel that the row counts. */
    private final int[] channels;

    /** {@code counts[row]} is how many packets came from it. */
    private final int[] counts;

    /** Rows in use. */
    private int rows;

    private final byte[] report;
    private final byte[] txBuf;

    /** Makes the table; arrays made here live as long as the applet. */
    Counter() {
        channels = new int[ROWS];
        counts = new int[ROWS];
        report = newAlignedArray(REPORT_LENGTH);
        txBuf = newAlignedArray(MAX_PACKET);
    }

    /** Sends the user's message as it is. */
    int doTx(int length, int channel, int offset) {
        doHtoLDMA(txBuf, 0, offset, length);
        txPush(txBuf, 0, channel, length);
        return 0;
    }

    /** Counts the packet and reports the count; returns it too. */
    int doRx(int length, int channel) {
        int row = row(channel);
        counts[row]++;
        sendReport(channel, counts[row]);
        return counts[row];
    }

    /** Returns the row of {@code channel}, a new one where it has none yet. */
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

    /** Pushes {@code count} to the host inside a receive descriptor. */
    private void sendReport(int channel, int count) {
        for (int i = 0; i < REPORT_LENGTH; i++) {
            report[i] = (byte) (count >>> (8 * (REPORT_LENGTH - 1 - i)));
        }
        dmaRxdPayload(report, channel, REPORT_LENGTH);
    }
}
