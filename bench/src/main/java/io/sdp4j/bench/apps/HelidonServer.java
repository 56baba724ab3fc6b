package io.sdp4j.bench.apps;

import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.io.OutputStream;

/** Helidon, as it is without settings: blocking sockets, a virtual thread for each connection. */
final class HelidonServer implements HttpApp.HttpServing {
    @Override
    public int serve() throws IOException {
        return WebServer.builder()
                .address(Place.here())
                .port(0)
                .routing(
                        routing ->
                                routing.get("/{bytes}", HelidonServer::get)
                                        .post("/post", HelidonServer::post))
                .build()
                .start()
                .port();
    }

    private static void get(ServerRequest request, ServerResponse response) {
        response.send(new byte[Integer.parseInt(request.path().pathParameters().get("bytes"))]);
    }

    private static void post(ServerRequest request, ServerResponse response) throws IOException {
        request.content().inputStream().transferTo(OutputStream.nullOutputStream());
        response.status(Status.OK_200).send(new byte[0]);
    }
}
