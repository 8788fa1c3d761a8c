package jive.model;

/** The trap {@code ProtectionFault}: a native names something that the endpoint may not use. */
public final class ProtectionFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes a fault. The message says which bound the call breaks. */
    public ProtectionFault(String message) {
        super(message);
    }
}
