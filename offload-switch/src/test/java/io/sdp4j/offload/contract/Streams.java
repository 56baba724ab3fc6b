package io.sdp4j.offload.contract;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.OffloadStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Streams of which a test answers some calls itself. */
public final class Streams {
    /** Answers of a test; null = it has none for this call. */
    public interface Answers {
        Object answer(String method, Object[] args) throws Throwable;
    }

    private Streams() {}

    /** A stream whose other answers are those of the interface, or 0, false and null. */
    public static OffloadStream of(Answers own) {
        return proxy(
                (self, method, args) -> {
                    Object answer = own.answer(method.getName(), args);
                    if (answer != null) {
                        return answer;
                    }
                    if (method.isDefault()) {
                        return InvocationHandler.invokeDefault(self, method, args);
                    }
                    return switch (method.getName()) {
                        case "equals" -> self == args[0];
                        case "hashCode" -> System.identityHashCode(self);
                        case "info" -> new ConnectionInfo(ReasonCode.OFFLOADED, "one", "one", 0, 0);
                        default -> zero(method.getReturnType());
                    };
                });
    }

    private static Object zero(Class<?> type) {
        if (type == boolean.class) {
            return false;
        }
        return type == int.class ? 0 : null;
    }

    /** A stream whose other answers are those of {@code inner}. */
    public static OffloadStream around(OffloadStream inner, Answers own) {
        return proxy(
                (_, method, args) -> {
                    Object answer = own.answer(method.getName(), args);
                    try {
                        return answer != null ? answer : method.invoke(inner, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static OffloadStream proxy(InvocationHandler handler) {
        return (OffloadStream)
                Proxy.newProxyInstance(
                        OffloadStream.class.getClassLoader(),
                        new Class<?>[] {OffloadStream.class},
                        handler);
    }
}
