package io.sdp4j.agent.programs;

import java.io.IOException;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * {@code PROPERTY CLASS}: sets the property, which names a provider, opens a channel of its kind,
 * and prints {@code opened}, or the provider's answer.
 */
public final class NamesProvider {
    private NamesProvider() {}

    public static void main(String[] args) throws IOException {
        System.setProperty(args[0], args[1]);
        try {
            if (args[0].contains("Selector")) {
                SocketChannel.open().close();
            } else {
                AsynchronousSocketChannel.open().close();
            }
            System.out.println("opened");
        } catch (UnsupportedOperationException e) {
            System.out.println(e.getMessage());
        }
    }
}
