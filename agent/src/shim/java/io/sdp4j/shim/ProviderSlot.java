package io.sdp4j.shim;

import java.lang.instrument.Instrumentation;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/**
 * The place of one of {@code java.nio}'s providers, which the JVM fills once, at the first use:
 * from a system property, a service file, or with the JDK's own.
 *
 * @param service the provider's class, whose name is the property's too
 * @param holder the class that keeps it, nested in the provider's
 * @param what what its channels are called, in the plural
 */
record ProviderSlot<P>(Class<P> service, String holder, String what) {
    /**
     * Has the JVM fill the place now, and leaves no trace: a property that stayed would be handed
     * on to child processes, where our class does not exist (NIO-1).
     *
     * @param ours a public class with a public constructor without parameters
     * @param fill the JDK's method that fills the place
     * @return why it could not be done, as one sentence, or null
     */
    String take(Instrumentation instrumentation, Class<?> ours, Supplier<?> fill) {
        String foreign = foreign(instrumentation);
        if (foreign != null) {
            return what + " are not offloaded: " + foreign;
        }
        System.setProperty(service.getName(), ours.getName());
        try {
            Object found = fill.get();
            return found.getClass() == ours
                    ? null
                    : what + " are not offloaded: " + found.getClass().getName() + " is in place";
        } catch (Error | RuntimeException e) { // the JDK's word for a class that it cannot load
            return what + " are not offloaded: " + e;
        } finally {
            System.clearProperty(service.getName());
        }
    }

    /** Who has the place already, or was meant to, as a clause; null if nobody. */
    private String foreign(Instrumentation instrumentation) {
        String name = service.getName();
        String property = System.getProperty(name);
        if (property != null) {
            return name + " names " + property;
        }
        for (Class<?> c : instrumentation.getAllLoadedClasses()) {
            if (c.getName().equals(name + "$" + holder)) {
                return "something opened one before this agent; put this -javaagent first";
            }
        }
        return null;
    }

    /**
     * The provider that the class path or the module path brings, which the JDK would have taken
     * instead of its own; null if there is none. Not for {@code premain}: it opens every jar.
     */
    P provided() {
        P found =
                ServiceLoader.load(service, ClassLoader.getSystemClassLoader())
                        .findFirst()
                        .orElse(null);
        if (found != null) {
            Boot.say(
                    what
                            + " are not offloaded: the class path brings "
                            + found.getClass().getName());
        }
        return found;
    }
}
