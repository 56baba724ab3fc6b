package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * Spring Boot's WebFlux on Reactor Netty, and its {@code WebClient}. Netty's native transport,
 * which makes its own system calls, is off.
 */
record SpringApp(boolean isPost) implements App {
    SpringApp {
        System.setProperty("reactor.netty.native", "false");
    }

    @Override
    public int serve() throws IOException {
        SpringApplication application = new SpringApplication(Routes.class);
        application.setWebApplicationType(WebApplicationType.REACTIVE);
        application.setDefaultProperties(
                Map.of(
                        "server.address", Place.here().getHostAddress(),
                        "server.port", "0",
                        "logging.level.root", "off",
                        "spring.main.banner-mode", "off",
                        "spring.codec.max-in-memory-size", "-1"));
        return application
                .run()
                .getEnvironment()
                .getRequiredProperty("local.server.port", Integer.class);
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally) throws IOException {
        WebClient client =
                WebClient.builder()
                        .baseUrl("http://" + Place.here().getHostAddress() + ":" + port)
                        .codecs(codecs -> codecs.defaultCodecs().maxInMemorySize(-1))
                        .build();
        WebClient.RequestHeadersSpec<?> request =
                isPost
                        ? client.post().uri("/post").bodyValue(new byte[bytes])
                        : client.get().uri("/" + bytes);
        for (int i = 0; i < atOnce; i++) {
            tally.repeat(() -> send(request, isPost ? 0 : bytes));
        }
    }

    private static void send(WebClient.RequestHeadersSpec<?> request, int answerBytes)
            throws IOException {
        byte[] answer =
                request.retrieve().bodyToMono(byte[].class).defaultIfEmpty(new byte[0]).block();
        if (answer == null || answer.length != answerBytes) {
            throw new IOException("not the answer that was asked for");
        }
    }

    /** Answers {@code GET /N} with N bytes and any {@code POST}, once it has read it, with none. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Routes {
        @Bean
        RouterFunction<ServerResponse> routes() {
            return RouterFunctions.route()
                    .GET("/{bytes}", Routes::get)
                    .POST("/post", Routes::post)
                    .build();
        }

        private static Mono<ServerResponse> get(ServerRequest request) {
            byte[] answer = new byte[Integer.parseInt(request.pathVariable("bytes"))];
            return ServerResponse.ok().bodyValue(answer);
        }

        private static Mono<ServerResponse> post(ServerRequest request) {
            return request.bodyToMono(byte[].class).then(ServerResponse.ok().build());
        }
    }
}
