package io.sdp4j.offload.contract.nio;

/** All that is known of {@code Selector} and its keys. */
public interface SelectorContract
        extends SelectingContract,
                WakingContract,
                RegisteringContract,
                ConnectingKeysContract,
                ResourcesContract {}
