package io.sdp4j.offload.contract.nio;

import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/**
 * The behaviour of every public method of a class in some state, as text that can be compared: one
 * line per method and arguments, on an object of its own each, with ports and identities named.
 */
final class Matrix {
    /** Those that wait for a peer, or for which a test of its own says more. */
    private static final Set<String> LEFT_OUT =
            Set.of(
                    "accept",
                    "getOption",
                    "setOption",
                    "register",
                    "blockingLock",
                    "getSendBufferSize"); // the kernel changes it by itself

    private Matrix() {}

    /**
     * An object to call.
     *
     * @param on what is called
     * @param channel whose state is looked at afterwards
     * @param names what to say for a text that differs from run to run, such as a port
     */
    record Subject(Object on, Channel channel, Map<String, String> names, AutoCloseable rest) {}

    /**
     * Calls every public method of {@code api}, with each of some arguments, on both kinds of
     * subject; the calls that end differently.
     */
    static String differences(Class<?> api, Callable<Subject> expected, Callable<Subject> found)
            throws Exception {
        return differences(outcomes(api, expected), outcomes(api, found));
    }

    /** The entries that are not the same. */
    static String differences(Map<String, String> expected, Map<String, String> found) {
        Set<String> all = new TreeSet<>(expected.keySet());
        all.addAll(found.keySet());
        StringBuilder text = new StringBuilder();
        for (String call : all) {
            if (!Objects.equals(expected.get(call), found.get(call))) {
                text.append("\n")
                        .append(call)
                        .append(": expected ")
                        .append(expected.get(call))
                        .append(", found ")
                        .append(found.get(call));
            }
        }
        return text.toString();
    }

    private static Map<String, String> outcomes(Class<?> api, Callable<Subject> subjects)
            throws Exception {
        Map<String, String> lines = new TreeMap<>();
        Method[] methods = api.getMethods();
        Arrays.sort(methods, Comparator.comparing(Method::toString));
        for (Method m : methods) {
            if (Modifier.isStatic(m.getModifiers())
                    || (m.getDeclaringClass() == Object.class && !m.getName().equals("toString"))
                    || LEFT_OUT.contains(m.getName())
                    || m.isBridge()) {
                continue;
            }
            for (Object[] arguments : arguments(m)) {
                Subject subject = subjects.call();
                try (AutoCloseable _ = subject.rest()) {
                    String call = m.getName() + describe(arguments);
                    lines.put(call, outcome(subject, m, arguments));
                }
            }
        }
        return lines;
    }

    private static String outcome(Subject subject, Method m, Object[] arguments)
            throws IllegalAccessException {
        String what;
        try {
            what = text(subject, m.invoke(subject.on(), arguments));
        } catch (InvocationTargetException e) {
            Throwable t = e.getCause();
            what = t.getClass().getName() + ": " + t.getMessage();
        }
        for (Map.Entry<String, String> name : subject.names().entrySet()) {
            what = what.replaceAll("\\b" + name.getKey() + "\\b", name.getValue());
        }
        return what + (subject.channel().isOpen() ? "" : " (closed)");
    }

    private static String text(Subject subject, Object value) {
        if (value == subject.on()) {
            return "itself";
        }
        if (value == subject.channel()) {
            return "the channel";
        }
        return switch (value) {
            case null -> "null";
            case InputStream in -> "a stream";
            case OutputStream out -> "a stream";
            case java.net.Socket socket -> "a socket " + socket;
            case java.net.ServerSocket socket -> "a socket " + socket;
            case java.nio.channels.spi.SelectorProvider provider -> "a provider";
            case Collection<?> all -> names(all);
            case String s -> s.replaceFirst("^[\\w.$]*\\.(\\w*)\\[", "[");
            default -> value.toString();
        };
    }

    private static String names(Collection<?> all) {
        return all.stream()
                .map(o -> o instanceof SocketOption<?> option ? option.name() : "" + o)
                .sorted()
                .toList()
                .toString();
    }

    private static String describe(Object[] arguments) {
        return Arrays.stream(arguments)
                .map(a -> a instanceof Object[] array ? Arrays.toString(array) : "" + a)
                .toList()
                .toString();
    }

    /** Every combination of what {@link #samples} gives for each type. */
    private static List<Object[]> arguments(Method m) {
        Class<?>[] types = m.getParameterTypes();
        List<Object[]> all = new ArrayList<>();
        all.add(new Object[types.length]);
        for (int i = 0; i < types.length; i++) {
            List<Object[]> longer = new ArrayList<>();
            for (Object[] begun : all) {
                for (Object sample : samples(m, types[i])) {
                    Object[] copy = begun.clone();
                    copy[i] = fresh(sample);
                    longer.add(copy);
                }
            }
            all = longer;
        }
        return all;
    }

    /** A sample that no earlier call has changed. */
    private static Object fresh(Object sample) {
        return switch (sample) {
            case ByteBuffer b -> ByteBuffer.allocate(b.limit());
            case ByteBuffer[] all ->
                    Arrays.stream(all).map(Matrix::fresh).toArray(ByteBuffer[]::new);
            case null, default -> sample;
        };
    }

    private static List<Object> samples(Method m, Class<?> type) {
        if (type == int.class && m.getName().equals("connect")) {
            return List.of(0, -1, 4000, 70_000); // none that a busy machine cannot keep
        }
        if (type == int.class) {
            return m.getParameterCount() > 2 ? List.of(0, 1) : List.of(0, 1, -1, 4000, 70_000);
        }
        if (type == boolean.class) {
            return List.of(true, false);
        }
        if (type == SocketAddress.class) {
            return Arrays.asList(
                    null,
                    InetSocketAddress.createUnresolved("no-such.invalid", 9),
                    UnixDomainSocketAddress.of("/no/such/path"),
                    new InetSocketAddress(NioChannels.LOOPBACK, 0));
        }
        if (type == ByteBuffer.class) {
            return List.of(ByteBuffer.allocate(0), ByteBuffer.allocate(2));
        }
        if (type == ByteBuffer[].class) {
            return List.of(new ByteBuffer[0], new ByteBuffer[] {ByteBuffer.allocate(2)});
        }
        List<Object> only = new ArrayList<>();
        only.add(null);
        return only;
    }
}
