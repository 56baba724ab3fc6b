package io.sdp4j.e2e.programs;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** {@code PORT}: a socket with which a switch that runs cannot go on; a rule wants it to. */
public final class CannotGoOn {
    private CannotGoOn() {}

    /** Connects, and prints whether the operator was {@code told}. */
    public static void main(String[] args) throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        CountDownLatch told = new CountDownLatch(1);
        try (Socket early = new Socket()) {
            AsynchronousSocketChannel.open().close(); // starts the switch
            Constructor<?> layer =
                    Class.forName("io.sdp4j.shim.Layer").getDeclaredConstructor(Map.class);
            layer.setAccessible(true);
            EarlyListener.boot("layer").set(null, layer.newInstance(Map.of()));
            ByteArrayOutputStream watched =
                    new ByteArrayOutputStream() {
                        @Override
                        public void flush() { // after each line
                            if (toString(StandardCharsets.UTF_8).contains("stays on kernel TCP")) {
                                told.countDown();
                            }
                        }
                    };
            System.setErr(new PrintStream(watched, true, StandardCharsets.UTF_8));
            try {
                early.connect(new InetSocketAddress(here, Integer.parseInt(args[0])));
            } catch (ConnectException e) {
                // the rule forbids TCP
            }
            System.out.println("told=" + told.await(20, TimeUnit.SECONDS));
        }
    }
}
