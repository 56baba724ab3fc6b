package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a peer that ends before it has read what the switch says first has lost nothing, as if TCP
 * had carried the connection on. Method: the flags with which the client's queue pair sends.
 */
@Timeout(60)
class BeginTest {
    private static Object pass(Object to, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(to, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Fabric recording(Fabric fabric, List<Integer> flags) {
        return (Fabric)
                Proxy.newProxyInstance(
                        Fabric.class.getClassLoader(),
                        new Class<?>[] {Fabric.class},
                        (_, method, args) -> {
                            Object result = pass(fabric, method, args);
                            return result instanceof Fabric.Connection made
                                    ? new Fabric.Connection(
                                            recording(made.queuePair(), flags), made.privateData())
                                    : result;
                        });
    }

    private static QueuePair recording(QueuePair qp, List<Integer> flags) {
        return (QueuePair)
                Proxy.newProxyInstance(
                        QueuePair.class.getClassLoader(),
                        new Class<?>[] {QueuePair.class},
                        (_, method, args) -> {
                            if (method.getName().equals("postSend")) {
                                flags.add((Integer) args[2]);
                            }
                            return pass(qp, method, args);
                        });
    }

    /** The application of an end that closes has left nothing unread then. */
    @Test
    void aCloseOverItIsInOrder() throws Exception {
        try (TestFabric fabric = new TestFabric(8);
                StreamPair pair = new StreamPair(fabric.provider())) {
            pair.server.readerBehind(true);
            assertTrue(pair.client.tryBegin(new byte[8]));
            Awaitility.await().until(() -> pair.server.available() == 8);
            pair.server.close(false);
            byte[] one = new byte[1];
            Awaitility.await().until(() -> pair.client.tryRead(one, 0, 1) == -1);
            pair.client.close(false);
        }
    }

    @Test
    void whatTheSwitchSaysIsNoLoss() throws Exception {
        List<Integer> flags = new CopyOnWriteArrayList<>();
        try (TestFabric fabric = new TestFabric(8);
                StreamPair pair = new StreamPair(fabric.provider(made -> recording(made, flags)))) {
            flags.clear();
            assertTrue(pair.client.tryBegin(new byte[8]));
            assertFalse(flags.isEmpty());
            flags.forEach(f -> assertNotEquals(0, f & QueuePair.CONTROL));
            flags.clear();
            assertEquals(1, pair.client.tryWrite(new byte[1], 0, 1));
            assertEquals(0, flags.getLast() & QueuePair.CONTROL);
            assertEquals(9, StreamPair.readFully(pair.server, 9).length);
            pair.client.close(false);
            pair.server.close(false);
        }
    }
}
