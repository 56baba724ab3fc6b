package io.sdp4j.fabric.contract;

/** What every fabric does, whichever it is. A fabric's own test class makes the two ends. */
public abstract class FabricContract extends RdmaContract {
    protected FabricContract() {}
}
