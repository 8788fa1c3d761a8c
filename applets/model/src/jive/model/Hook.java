package jive.model;

/**
 * The superclass of a loaded applet whose {@code RxBuf} is an instance field. Its constructor sets
 * the field, because a NIC sets {@code RxBuf} before any code that can read it.
 */
public abstract class Hook {
    /** Sets {@code RxBuf} of this applet. */
    protected Hook() {
        Applet.underConstruction(this);
    }
}
