package io.sdp4j.agent.programs;

import java.net.InetAddress;

/** Sets, in its first line, what the JDK reads once, and shows whether that was in time. */
public final class LoopbackPrinter {
    private LoopbackPrinter() {}

    public static void main(String[] args) {
        System.setProperty("java.net.preferIPv6Addresses", "true");
        System.out.println(InetAddress.getLoopbackAddress());
    }
}
