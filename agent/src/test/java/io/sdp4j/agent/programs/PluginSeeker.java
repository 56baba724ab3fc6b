package io.sdp4j.agent.programs;

import java.io.IOException;

/** Makes a connection, and looks whether the class that is named can be seen. */
public final class PluginSeeker {
    private PluginSeeker() {}

    public static void main(String[] args) throws IOException {
        System.out.println("byte=" + OneConnection.exchange());
        try {
            System.out.println("seen=" + Class.forName(args[0]));
        } catch (ClassNotFoundException e) {
            System.out.println("seen=none");
        }
    }
}
