package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.EventRequestManager;
import com.sun.jdi.request.MethodEntryRequest;
import io.sdp4j.e2e.programs.SteadyState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a small write and a small read call few methods, because in the first second each is
 * interpreted. Method: a debugger lists the methods of ours that one of each enters.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShortWayIT {
    /** Methods of a write that also takes slots back and wakes the peer's thread. */
    private static final int MOST_OF_WRITE = 37;

    private static final int MOST_OF_READ = 34;

    private static final String AGENT = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,";
    private static final String LISTENS = "Listening for transport dt_socket at address: ";

    @TempDir Path directory;

    /** Methods entered, by the method at which following them ended. */
    private final Map<String, List<String>> entered = new HashMap<>();

    private List<String> names = new ArrayList<>();
    private MethodEntryRequest entries;

    @Test
    @DisplayName("A steady write and read of 64 bytes enter few methods")
    void smallWriteAndReadEnterFewMethods() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child child =
                    jvms.java(
                            "steady",
                            true,
                            List.of(AGENT + "address=127.0.0.1:0"),
                            Jvms.classPathOf(SteadyState.class),
                            SteadyState.class.getName());
            follow(attach(child.await(LISTENS)));
            assertEquals("64", child.results().get("read"), child::toString);
            assertEquals(1, child.report().offloaded(), child::toString);
        }
        assertFew(MOST_OF_WRITE, entered.get("afterWrite"));
        assertFew(MOST_OF_READ, entered.get("afterRead"));
    }

    private static void assertFew(int most, List<String> methods) {
        assertTrue(methods.size() <= most, () -> methods.size() + ": " + methods);
        assertTrue(methods.size() > most / 2, () -> "it went another way: " + methods);
    }

    private static VirtualMachine attach(String port) throws Exception {
        AttachingConnector connector =
                Bootstrap.virtualMachineManager().attachingConnectors().stream()
                        .filter(c -> c.name().equals("com.sun.jdi.SocketAttach"))
                        .findFirst()
                        .orElseThrow();
        Map<String, Connector.Argument> to = connector.defaultArguments();
        to.get("hostname").setValue("127.0.0.1");
        to.get("port").setValue(port);
        return connector.attach(to);
    }

    private void follow(VirtualMachine vm) throws InterruptedException {
        EventRequestManager requests = vm.eventRequestManager();
        ClassPrepareRequest prepared = requests.createClassPrepareRequest();
        prepared.addClassFilter(SteadyState.class.getName());
        prepared.enable();
        vm.resume();
        try {
            while (true) {
                EventSet events = vm.eventQueue().remove();
                for (Event event : events) {
                    on(event, requests);
                }
                events.resume();
            }
        } catch (VMDisconnectedException ended) {
            // all was seen
        }
    }

    private void on(Event event, EventRequestManager requests) {
        switch (event) {
            case ClassPrepareEvent e -> stopAtMarks(e.referenceType(), requests);
            case BreakpointEvent e -> onMark(e.location().method().name(), e.thread(), requests);
            case MethodEntryEvent e -> names.add(nameOf(e.method()));
            default -> {}
        }
    }

    private static String nameOf(Method method) {
        return method.declaringType().name() + "." + method.name();
    }

    private static void stopAtMarks(ReferenceType program, EventRequestManager requests) {
        for (String mark : List.of("beforeWrite", "afterWrite", "beforeRead", "afterRead")) {
            Method method = program.methodsByName(mark).get(0);
            BreakpointRequest stop = requests.createBreakpointRequest(method.location());
            stop.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
            stop.enable();
        }
    }

    private void onMark(String mark, ThreadReference thread, EventRequestManager requests) {
        if (mark.startsWith("before")) {
            names = new ArrayList<>();
            entries = requests.createMethodEntryRequest();
            entries.addThreadFilter(thread);
            entries.addClassFilter("io.sdp4j.*");
            entries.addClassExclusionFilter(SteadyState.class.getName());
            entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
            entries.enable();
        } else {
            entries.disable();
            entered.put(mark, names);
        }
    }
}
