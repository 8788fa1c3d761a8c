package jive.model;

/** The trap {@code QuotaExceeded}: one call moves too many bytes or sends too many packets. */
public final class QuotaExceeded extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes a trap. The message names the quota. */
    public QuotaExceeded(String message) {
        super(message);
    }
}
