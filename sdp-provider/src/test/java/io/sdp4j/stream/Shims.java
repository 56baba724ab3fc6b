package io.sdp4j.stream;

import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;

/** Fabrics and providers of which a test answers a few calls itself. */
final class Shims {
    private Shims() {}

    static Object invoke(Method method, Object target, Object[] args) throws Throwable {
        try {
            method.setAccessible(true);
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** {@code target}, of which {@code own} is asked first; null means "as it does". */
    static <T> T around(Class<T> type, T target, InvocationHandler own) {
        return proxy(
                type,
                (p, method, args) -> {
                    Object answer = own.invoke(p, method, args);
                    return answer != null ? answer : invoke(method, target, args);
                });
    }

    /** {@code qp}, but its completions are in {@code queue}. */
    static QueuePair completing(QueuePair qp, CompletionQueue queue) {
        return around(
                QueuePair.class,
                qp,
                (p, method, args) ->
                        switch (method.getName()) {
                            case "completions" -> queue;
                            case "takeSlotNow" -> queue.known() ? -1 : qp.takeSendSlot();
                            default -> null;
                        });
    }

    /** {@code fabric}, but the queue pairs of connections that it makes are seen through a shim. */
    static Fabric connecting(Fabric fabric, UnaryOperator<QueuePair> shim) {
        return proxy(
                Fabric.class,
                (p, method, args) -> {
                    Object result = invoke(method, fabric, args);
                    return result instanceof Fabric.Connection c
                            ? new Fabric.Connection(shim.apply(c.queuePair()), c.privateData())
                            : result;
                });
    }

    /**
     * A fabric whose notifications come too late: only a thread that drains a queue learns what is
     * in it.
     */
    static Fabric deaf(Fabric fabric) {
        return connecting(fabric, Shims::deaf);
    }

    private static QueuePair deaf(QueuePair qp) {
        return completing(
                qp,
                around(
                        CompletionQueue.class,
                        qp.completions(),
                        (p, method, args) -> method.getName().equals("arm") ? true : null));
    }
}
