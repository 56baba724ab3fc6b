package io.sdp4j.shim;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketImplFactory;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Makes {@code java.net.SocksSocketImpl} ask the rules before it connects to a proxy. If the
 * program has named the proxy, it also asks before the proxy connects to a destination, because
 * such sockets ask no factory.
 *
 * <p>The code finds our factory of client sockets by its type: a {@code Function} that returns why
 * TCP must not lead to an address, or null. The JDK has no factory of that type.
 */
final class SocksPatch extends JdkPatch {
    private static final ClassDesc SOCKS = ClassDesc.of("java.net.SocksSocketImpl");
    private static final ClassDesc ADDRESS = desc(InetSocketAddress.class);
    private static final ClassDesc REFUSAL = desc(ConnectException.class);
    private static final ClassDesc ASKED = desc(Function.class);
    private static final MethodTypeDesc TO_PROXY =
            MethodTypeDesc.of(CD_void, CD_String, CD_int, CD_int);
    private static final MethodTypeDesc CONNECT =
            MethodTypeDesc.of(CD_void, desc(SocketAddress.class), CD_int);

    // locals of the methods
    private static final int SOCKET = 0;
    private static final int HOST = 1;
    private static final int DESTINATION = 1;
    private static final int PORT = 2;

    SocksPatch() {
        super(
                "java.net.SocksSocketImpl",
                2,
                "new Socket(proxy) does not obey sdp rules: this JDK does not let its SOCKS client"
                        + " be told");
    }

    @Override
    Consumer<CodeBuilder> before(MethodModel method) {
        String name = method.methodName().stringValue();
        if (name.equals("doConnect") && method.methodTypeSymbol().equals(TO_PROXY)) {
            return SocksPatch::askOfProxy;
        }
        return name.equals("connect") && method.methodTypeSymbol().equals(CONNECT)
                ? SocksPatch::askOfDestination
                : null;
    }

    private static void askOfProxy(CodeBuilder code) {
        Label original = code.newLabel();
        code.new_(ADDRESS)
                .dup()
                .aload(HOST)
                .iload(PORT)
                .invokespecial(ADDRESS, "<init>", MethodTypeDesc.of(CD_void, CD_String, CD_int));
        ask(code, original);
        code.labelBinding(original);
    }

    /**
     * Adds {@code if (server != null) …}: the program has named the proxy, and no selector was
     * asked.
     */
    private static void askOfDestination(CodeBuilder code) {
        Label original = code.newLabel();
        code.aload(SOCKET).getfield(SOCKS, "server", CD_String).ifnull(original).aload(DESTINATION);
        ask(code, original);
        code.labelBinding(original);
    }

    /**
     * {@code if (Socket.socketImplFactory() instanceof Function f && f.apply(address) instanceof
     * String s) throw new ConnectException(s);}, with the address on the stack.
     */
    private static void ask(CodeBuilder code, Label original) {
        int address = code.allocateLocal(TypeKind.REFERENCE);
        int answer = code.allocateLocal(TypeKind.REFERENCE);
        ClassDesc socket = desc(Socket.class);
        code.astore(address)
                .invokestatic(
                        socket,
                        "socketImplFactory",
                        MethodTypeDesc.of(desc(SocketImplFactory.class)))
                .dup()
                .astore(answer)
                .instanceOf(ASKED)
                .ifeq(original)
                .aload(answer)
                .checkcast(ASKED)
                .aload(address)
                .invokeinterface(ASKED, "apply", MethodTypeDesc.of(CD_Object, CD_Object))
                .dup()
                .astore(answer)
                .ifnull(original)
                .new_(REFUSAL)
                .dup()
                .aload(answer)
                .checkcast(CD_String)
                .invokespecial(REFUSAL, "<init>", MethodTypeDesc.of(CD_void, CD_String))
                .athrow();
    }
}
