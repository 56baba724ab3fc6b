/** Rule files in two old dialects, compiled to an immutable matcher; and every setting. */
package io.sdp4j.policy;
