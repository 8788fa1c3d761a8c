package jive.model;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What an endpoint's applet may name in natives. The initial values are the defaults of a scenario
 * under the profile {@code lanai-1998}.
 */
public final class Rights {
    /** Bytes of the buffer area. */
    public int bufferArea = 65_536;

    /** Number of free buffers. They lie at offsets 0, L, 2L and so on. */
    public int freeBuffers = 8;

    /** Bytes of each free buffer. */
    public int bufferLength = 4096;

    /** Descriptors of the receive queue. */
    public int receiveQueue = 64;

    /** Most bytes of a packet. {@code RxBuf} has this length. */
    public int maxPacket = 9216;

    /**
     * How many bytes of a packet the NIC keeps, if it receives directly into free buffers and the
     * applet has no {@code RxBuf}; 0 if the NIC does not.
     */
    public int header;

    /** Most bytes that one call may move by DMA. */
    public long dmaQuota = 131_072;

    /** Most packets that one call may send. */
    public long sendQuota = 64;

    /** Numbers of the endpoint's channels. */
    public final Set<Integer> channels = new TreeSet<>();

    /** The windows of the endpoint's memory, which a peer may write: their lengths by number. */
    public final Map<Integer, Integer> ownWindows = new TreeMap<>();

    /** The windows of peers that the endpoint may write: their lengths by number. */
    public final Map<Integer, Integer> peerWindows = new TreeMap<>();

    /** The numbers of the windows of peers that the endpoint may read. */
    public final Set<Integer> readableWindows = new TreeSet<>();
}
