package io.sdp4j.stream;

import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.QueuePair;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;

/**
 * The calls of queue pairs and of their completion queues, by name; {@code send} counts as {@code
 * postSend}. A test may answer some itself.
 */
final class CountedCalls {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private final List<Integer> sendFlags = Collections.synchronizedList(new ArrayList<>());
    private final BiFunction<String, Object[], Object> own;

    CountedCalls() {
        this((_, _) -> null);
    }

    /** {@code own} gets name and arguments and is asked first; null means "as it does". */
    CountedCalls(BiFunction<String, Object[], Object> own) {
        this.own = own;
    }

    /** Those of the connections that {@code fabric} makes. */
    Fabric connecting(Fabric fabric) {
        return Shims.connecting(fabric, this::of);
    }

    QueuePair of(QueuePair qp) {
        CompletionQueue queue = Shims.around(CompletionQueue.class, qp.completions(), this::answer);
        return Shims.around(QueuePair.class, Shims.completing(qp, queue), this::answer);
    }

    private Object answer(Object proxy, Method method, Object[] args) {
        boolean unflagged = method.getName().equals("send");
        String name = unflagged ? "postSend" : method.getName();
        counts.computeIfAbsent(name, _ -> new LongAdder()).increment();
        if (name.equals("postSend")) {
            sendFlags.add(unflagged ? 0 : (int) args[2]);
        }
        return own.apply(method.getName(), args);
    }

    int count(String call) {
        LongAdder count = counts.get(call);
        return count == null ? 0 : count.intValue();
    }

    /** Flags of the messages posted, in order. */
    List<Integer> sendFlags() {
        return List.copyOf(sendFlags);
    }

    void clear() {
        counts.clear();
        sendFlags.clear();
    }
}
