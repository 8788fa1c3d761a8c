package unet;

/** As much of the stub as the tests call. */
public class Nic {
    public static native int getFreeBuffer();
}
