package io.sdp4j.shim;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/**
 * The place of one of {@code java.nio}'s providers. The JVM fills it once, at the first use: from a
 * system property, a service file, or with the JDK's own.
 *
 * @param service the provider's class, whose name is also that of the property
 * @param what the name of its channels, in the plural
 */
record ProviderSlot<P>(Class<P> service, String what) {
    /**
     * Has the JVM fill the place now, and removes the property again: child processes would inherit
     * it, and our class does not exist there (behaviour 79).
     *
     * @param ours a public class with a public constructor without parameters
     * @param fill the JDK's method that fills the place
     * @return why it could not be done, as one sentence, or null
     */
    String take(Class<?> ours, Supplier<?> fill) {
        String name = service.getName();
        String foreign = System.getProperty(name);
        if (foreign != null) {
            return notOffloaded(name + " names " + foreign);
        }
        System.setProperty(name, ours.getName());
        try {
            // only the content tells whether the place was filled before: an AOT cache loads
            // classes that are not in use yet
            return fill.get().getClass() == ours
                    ? null
                    : notOffloaded(
                            "something opened one before this agent; put this -javaagent first");
        } catch (Error | RuntimeException e) { // the JDK's word for a class that it cannot load
            return notOffloaded(e.toString());
        } finally {
            System.clearProperty(name);
        }
    }

    private String notOffloaded(String why) {
        return what + " are not offloaded: " + why;
    }

    /**
     * Returns the provider that the program has named since {@code premain}, or else that the class
     * path or the module path brings. The JDK would have taken it instead of its own; null if there
     * is none. Not to be called by {@code premain}, as it opens every jar.
     */
    P provided() {
        String name = System.getProperty(service.getName());
        ClassLoader loader = ClassLoader.getSystemClassLoader();
        P found =
                name != null
                        ? named(name, loader)
                        : ServiceLoader.load(service, loader).findFirst().orElse(null);
        if (found != null) {
            String why = name != null ? service.getName() + " names " : "the class path brings ";
            Console.sayLater(notOffloaded(why + found.getClass().getName()));
        }
        return found;
    }

    private P named(String name, ClassLoader loader) {
        try {
            Class<?> type = Class.forName(name, true, loader);
            return type.getClassLoader() == null // the JDK's own, for which ours stands
                    ? null
                    : service.cast(type.getConstructor().newInstance());
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new ServiceConfigurationError(service.getName() + ": " + name, e); // as the JDK
        }
    }
}
