package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.Receiver;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.MFC;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.TCP_NIO2;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.IpAddress;

/**
 * A JGroups cluster of two: {@code STACK CASTS BYTES} begins it, {@code STACK CASTS BYTES PORT
 * BURSTS TIME} joins it, casts, writes to the file TIME how many milliseconds the median burst
 * took, and ends.
 *
 * <p>A burst is many casts at once, which the first member has to see in order and whole before the
 * next one begins. The stack is {@code TCP} or {@code TCP_NIO2}; the latter drops what the channel
 * does not take and sends it again later.
 */
public final class Casts {
    private static final int PATIENCE_SECONDS = 60;

    /** In a burst. */
    private final int casts;

    private final int castBytes;

    private Casts(int casts, int castBytes) {
        this.casts = casts;
        this.castBytes = castBytes;
    }

    /** Serves until it is ended, or casts. */
    public static void main(String[] args) throws Exception {
        TP transport = args[0].equals("TCP") ? new TCP() : new TCP_NIO2();
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        transport.setBindAddress(loopback).setBindPort(freePort(loopback)).setPortRange(10);
        boolean first = args.length == 3;
        Casts program = new Casts(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
        List<PhysicalAddress> others =
                first ? List.of() : List.of(new IpAddress(loopback, Integer.parseInt(args[3])));
        JChannel channel =
                new JChannel(
                        transport,
                        new TCPPING().setInitialHosts2(others).setPortRange(0),
                        new NAKACK2().useMcastXmit(false),
                        new UNICAST3(),
                        new STABLE(),
                        // the first need not wait for another one
                        new GMS().printLocalAddress(false).setJoinTimeout(first ? 1 : 10_000),
                        new UFC(),
                        new MFC(),
                        new FRAG2());
        if (first) {
            channel.setReceiver(program.new First(channel)).connect("casts");
            Object address = channel.down(new Event(Event.GET_PHYSICAL_ADDRESS, channel.address()));
            System.out.println("READY " + ((IpAddress) address).getPort());
        } else {
            program.cast(channel, Integer.parseInt(args[4]), Path.of(args[5]));
            System.exit(0); // as most do, without leaving
        }
    }

    /** JGroups does not let the kernel choose; it tries the next ones if it is taken. */
    static int freePort(InetAddress address) throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, address)) {
            return any.getLocalPort();
        }
    }

    private void cast(JChannel channel, int bursts, Path time) throws Exception {
        LinkedBlockingQueue<Boolean> answers = new LinkedBlockingQueue<>();
        Receiver receiver =
                new Receiver() {
                    @Override
                    public void receive(Message message) {
                        if (message.getLength() == 1) {
                            answers.add(message.getArray()[message.getOffset()] == 1);
                        }
                    }
                };
        channel.setReceiver(receiver).connect("casts");
        System.out.println("members=" + channel.view().size());
        int number = 0;
        boolean right = true;
        long[] nanos = new long[bursts];
        for (int burst = 0; burst < bursts; burst++) {
            long start = System.nanoTime();
            for (int n = 0; n < casts; n++) {
                byte[] cast = new byte[castBytes];
                Arrays.fill(cast, (byte) number);
                ByteBuffer.wrap(cast).putInt(number++);
                channel.send(new BytesMessage(null, cast));
            }
            Boolean answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            right &= Boolean.TRUE.equals(answer);
            nanos[burst] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        Files.writeString(time, "" + TimeUnit.NANOSECONDS.toMillis(nanos[bursts / 2]));
        System.out.println("casts=" + number);
        System.out.println("right=" + right);
    }

    /** Checks what the other member casts, and answers each burst. */
    private final class First implements Receiver {
        private final JChannel channel;
        private int seen;
        private boolean right = true;

        First(JChannel channel) {
            this.channel = channel;
        }

        @Override
        public void receive(Message message) {
            byte[] cast =
                    Arrays.copyOfRange(
                            message.getArray(),
                            message.getOffset(),
                            message.getOffset() + message.getLength());
            right &= cast.length == castBytes && ByteBuffer.wrap(cast).getInt() == seen;
            for (int i = Integer.BYTES; i < cast.length; i++) {
                right &= cast[i] == (byte) seen;
            }
            if (++seen % casts == 0) {
                answer(message);
            }
        }

        private void answer(Message last) {
            try {
                byte[] answer = {(byte) (right ? 1 : 0)};
                channel.send(new BytesMessage(last.getSrc(), answer));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
