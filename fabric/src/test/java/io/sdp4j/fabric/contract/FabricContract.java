package io.sdp4j.fabric.contract;

/** Behaviour that is common to all fabrics. A fabric's own test class makes the two ends. */
public abstract class FabricContract extends RdmaContract {
    protected FabricContract() {}
}
