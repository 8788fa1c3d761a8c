import jive.model.Endpoint;
import jive.model.Message;

/**
 * Drives the applet {@code Counter} by hand. Set a breakpoint in {@code Counter.doRx}, and debug
 * this class to step through it. A test of JUnit does the same, with assertions.
 */
public final class DriveCounter {
    public static void main(String[] arguments) {
        Endpoint endpoint = new Endpoint().connect(1).connect(2).load(Counter.class);

        for (int channel : new int[] {1, 2, 1}) {
            int count = endpoint.arrive(channel, "hello".getBytes());
            System.out.println("doRx returned " + count + ", channel " + channel);
        }
        for (Message report = endpoint.takeReceived(); report != null; report = endpoint.takeReceived()) {
            System.out.println("the host gets " + report);
        }

        endpoint.post(2, new byte[] {1, 2, 3});
        System.out.println("the wire gets " + endpoint.takeSent());
        System.out.println("rows in use: " + endpoint.get("rows"));
        for (String call : endpoint.log()) {
            System.out.println(call);
        }

        try {
            endpoint.post(3, new byte[] {4});
        } catch (RuntimeException trap) {
            System.out.println("trap: " + trap.getMessage());
        }
    }
}
