package io.sdp4j.stream;

import io.sdp4j.rdma.Fabric;
import io.sdp4j.rdma.QueuePair;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;

/** Fabrics of which a test answers a few calls itself. */
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

    /** The same, but the queue pairs of connections that it makes are seen through {@code shim}. */
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
}
